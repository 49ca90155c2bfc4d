import { Readable } from 'node:stream'
import { openExport } from '../../../app/portable/export.ts'
import { importPart } from '../../../app/portable/import.ts'
import { invalid } from '../../../core/errors.ts'
import { mountRoute, route } from '../../../http/route.ts'
import { type App, checkScope, type RouteParts } from '../../../http/route-context.ts'
import { parseExportPart } from '../parse-export-part.ts'
import { ExportQuery, ExportText, ImportQuery, ImportResult } from '../schemas/portable.ts'

const common = { tag: 'export' } as const
const ndjson = 'application/x-ndjson'

/** Export of a tenant's memory. */
export const exportRoutes = [
  route('exportMemory', 'GET /v1/host/colophon/export', 'memory:admin', {
    ...common,
    summary: 'Export memory',
    description:
      'Entries with their history, claims, source events and writers at one position, one JSON document per line. Secrets and keys are not included. Also needs the scope `audit:read`, because it includes stored source events.',
    query: ExportQuery,
    responses: { 200: { content: { [ndjson]: { schema: ExportText } } } },
    async handler({ tenant, query, request, reply, parts }) {
      // Messages of source events and hashes of redacted messages need the scope audit:read on every route.
      checkScope(request, 'audit:read')
      const { lines, close } = await openExport(tenant, query)
      const stream = Readable.from(inChunks(lines), { objectMode: false, signal: parts.stopping })
      stream.once('close', () => void close())
      return reply.type(ndjson).header('cache-control', 'no-store').send(stream)
    },
  }),
]

const importRoute = route('importMemory', 'POST /v1/host/colophon/import', 'memory:admin', {
  ...common,
  summary: 'Import memory',
  description:
    'Stores an export, or a part of one. Lines that are stored already are skipped, so an interrupted import is resumed by sending the file again. What comes from a file that this host did not sign is `untrusted`, unless `trust` says otherwise. `Idempotency-Key` is not supported.',
  isUnkeyed: true,
  query: ImportQuery,
  body: ExportText,
  consumes: ndjson,
  responses: { 200: ImportResult },
  async handler({ tenant, query, body, principal, request }) {
    if (request.headers['idempotency-key'] !== undefined)
      throw invalid('Idempotency-Key', 'is not supported here: the digest of the file makes the import idempotent')
    const { actor, keyId } = principal
    const options = { merge: query.merge === 'true', actor, keyId, trust: query.trust }
    return importPart(tenant, await parseExportPart(body), options)
  },
})

/** In its own Fastify scope: no other route parses a body of this type. */
export function mountImport(app: App, parts: RouteParts): void {
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser(ndjson, { parseAs: 'string' }, (_request, body, done) => done(null, body))
    mountRoute(scope as unknown as App, parts, importRoute)
  })
}

const chunkCharacters = 65_536

/**
 * Joins lines to chunks of a useful size. After each chunk it yields to the event loop, so that other requests are
 * processed and memory is freed.
 */
async function* inChunks(lines: AsyncIterable<string>): AsyncGenerator<string> {
  let chunk = ''
  for await (const line of lines) {
    chunk += line
    if (chunk.length < chunkCharacters) continue
    yield chunk
    chunk = ''
    await new Promise((resolve) => setImmediate(resolve))
  }
  if (chunk !== '') yield chunk
}
