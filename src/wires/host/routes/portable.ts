import { Readable } from 'node:stream'
import { openExport } from '../../../app/portable/export.ts'
import { importPart } from '../../../app/portable/import.ts'
import { invalid } from '../../../core/errors.ts'
import { type App, checkScope, type RouteParts } from '../../../http/context.ts'
import { mountRoute, route } from '../../../http/route.ts'
import { readPart } from '../read-part.ts'
import { ExportQuery, ExportText, ImportQuery, ImportResult } from '../schemas/portable.ts'

const common = { tag: 'export' } as const
const ndjson = 'application/x-ndjson'

/** A tenant's memory as a file. */
export const exportRoutes = [
  route('exportMemory', 'GET /v1/host/colophon/export', 'memory:admin', {
    ...common,
    summary: 'Export memory',
    description:
      'Entries with their history, claims, source events and writers as of one moment, one JSON document per line. Secrets and keys are not part of it. Needs `audit:read` too, because source events are in it as they are stored.',
    query: ExportQuery,
    answers: { 200: { content: { [ndjson]: { schema: ExportText } } } },
    async handler({ tenant, query, request, reply, parts }) {
      // Messages of source events and the hashes of redacted ones are for auditors, wherever they stand.
      checkScope(request, 'audit:read')
      const { lines, close } = await openExport(tenant, query)
      const stream = Readable.from(inPieces(lines), { objectMode: false, signal: parts.stopping })
      stream.once('close', () => void close())
      return reply.type(ndjson).header('cache-control', 'no-store').send(stream)
    },
  }),
]

const importRoute = route('importMemory', 'POST /v1/host/colophon/import', 'memory:admin', {
  ...common,
  summary: 'Import memory',
  description:
    'Stores an export, or a part of one. Lines that are stored already are skipped, so an interrupted import continues by sending the file again. It takes no `Idempotency-Key`.',
  isUnkeyed: true,
  query: ImportQuery,
  body: ExportText,
  consumes: ndjson,
  answers: { 200: ImportResult },
  async handler({ tenant, query, body, principal, request }) {
    if (request.headers['idempotency-key'] !== undefined)
      throw invalid('Idempotency-Key', 'is not taken here: by the digest of the file, lines are stored once anyway')
    const { actor, keyId } = principal
    return importPart(tenant, readPart(body), { merge: query.merge === 'true', actor, keyId })
  },
})

/** In a scope of its own: no other route reads a body of this type. */
export function mountImport(app: App, parts: RouteParts): void {
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser(ndjson, { parseAs: 'string' }, (_request, body, done) => done(null, body))
    mountRoute(scope as unknown as App, parts, importRoute)
  })
}

const pieceCharacters = 65_536

/**
 * Pieces that are worth sending. After each, the event loop gets its turn: other requests are served, and memory that was
 * read is given back.
 */
async function* inPieces(lines: AsyncIterable<string>): AsyncGenerator<string> {
  let piece = ''
  for await (const line of lines) {
    piece += line
    if (piece.length < pieceCharacters) continue
    yield piece
    piece = ''
    await new Promise((resolve) => setImmediate(resolve))
  }
  if (piece !== '') yield piece
}
