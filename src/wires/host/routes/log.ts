import { listLogKeys } from '../../../app/log/log-keys.ts'
import { proveConsistency, proveInclusion, readCheckpoint, readTileBytes } from '../../../app/log/read-log.ts'
import { route } from '../../../http/route.ts'
import {
  CheckpointText,
  ConsistencyProof,
  ConsistencyQuery,
  InclusionProof,
  InclusionQuery,
  LogKeyList,
  TileBytes,
} from '../schemas/log.ts'

const base = '/v1/host/colophon/log'
const common = { tag: 'audit' } as const
const text = 'text/plain; charset=utf-8'
const bytes = 'application/octet-stream'

const base64 = (hash: Uint8Array) => Buffer.from(hash).toString('base64')

/** The audit of the key's tenant as a log that others can witness. */
export const logRoutes = [
  route('getCheckpoint', `GET ${base}/checkpoint`, 'audit:read', {
    ...common,
    summary: 'Get a checkpoint',
    description:
      'The size and the root of the Merkle tree over the audit records, signed. Keep it elsewhere: every later checkpoint must continue it. The first checkpoint that a new key signs adds one audit record.',
    responses: { 200: { content: { 'text/plain': { schema: CheckpointText } } } },
    async handler({ tenant, reply }) {
      const checkpoint = await readCheckpoint(tenant)
      return reply.type(text).header('cache-control', 'no-store').send(checkpoint)
    },
  }),
  route('listLogKeys', `GET ${base}/keys`, 'audit:read', {
    ...common,
    summary: 'List keys of checkpoints',
    description: 'The keys that signed checkpoints of this log, oldest first, and the name of the log.',
    responses: { 200: LogKeyList },
    handler: async ({ tenant }) => listLogKeys(tenant),
  }),
  route('getLogTile', `GET ${base}/tile/{path}`, 'audit:read', {
    ...common,
    summary: 'Get a tile of the log',
    description:
      'Up to 256 hashes of the Merkle tree, by the path of C2SP tlog-tiles: `<level>/<tile>`, with `.p/<width>` while it is not full, such as 0/x001/x234/067 or 0/000.p/17. With `entries` as the level: the leaves.',
    takesRestOfPath: true,
    responses: { 200: { content: { [bytes]: { schema: TileBytes } } } },
    async handler({ tenant, params, reply }) {
      const tile = await readTileBytes(tenant, params.path)
      return reply.type(bytes).send(Buffer.from(tile))
    },
  }),
  route('proveInclusion', `GET ${base}/proof/inclusion`, 'audit:read', {
    ...common,
    summary: 'Prove that a record exists',
    description: 'The proof of RFC 6962 that the audit record at a position is in the log of a size.',
    query: InclusionQuery,
    responses: { 200: InclusionProof },
    async handler({ tenant, query }) {
      const { leafHash, root, hashes, ...proof } = await proveInclusion(tenant, query)
      return { ...proof, leafHash: base64(leafHash), root: base64(root), hashes: hashes.map(base64) }
    },
  }),
  route('proveConsistency', `GET ${base}/proof/consistency`, 'audit:read', {
    ...common,
    summary: 'Prove that the log only grew',
    description: 'The proof of RFC 6962 that the log of a size begins with all records of the log of a smaller size.',
    query: ConsistencyQuery,
    responses: { 200: ConsistencyProof },
    async handler({ tenant, query }) {
      const { fromRoot, toRoot, hashes, ...sizes } = await proveConsistency(tenant, query)
      return { ...sizes, fromRoot: base64(fromRoot), toRoot: base64(toRoot), hashes: hashes.map(base64) }
    },
  }),
]
