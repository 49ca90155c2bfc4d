import { Readable } from 'node:stream'
import { openExport } from '../../../app/portable/export.ts'
import { importPart } from '../../../app/portable/import.ts'
import { invalid } from '../../../core/errors.ts'
import { type App, principalOf, type RouteParts } from '../../../http/context.ts'
import { readPart } from '../read-part.ts'
import { ExportQuery, ExportText, ImportQuery, ImportResult } from '../schemas/portable.ts'

const tags = ['export']
const ndjson = 'application/x-ndjson'

/** A tenant's memory as a file, and back. */
export function portableRoutes(app: App, { engine, stopping }: RouteParts): void {
  app.get(
    '/v1/host/colophon/export',
    {
      exposeHeadRoute: false,
      config: { access: 'memory:admin' },
      schema: {
        tags,
        querystring: ExportQuery,
        response: { 200: { content: { [ndjson]: { schema: ExportText } } } },
      },
    },
    async (request, reply) => {
      const { lines, close } = await openExport(engine.tenant(principalOf(request).tenantId), request.query)
      const stream = Readable.from(inPieces(lines), { objectMode: false, signal: stopping })
      stream.once('close', () => void close())
      // The shape describes the bytes; they are sent as they come.
      return reply
        .type(ndjson)
        .header('cache-control', 'no-store')
        .send(stream as unknown as string)
    },
  )
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser(ndjson, { parseAs: 'string' }, (_request, body, done) => done(null, body))
    ;(scope as unknown as App).post(
      '/v1/host/colophon/import',
      {
        config: { access: 'memory:admin' },
        schema: {
          tags,
          querystring: ImportQuery,
          consumes: [ndjson],
          body: ExportText,
          response: { 200: ImportResult },
        },
      },
      async (request) => {
        if (request.headers['idempotency-key'] !== undefined)
          throw invalid('Idempotency-Key', 'is not taken here: by the digest of the file, lines are stored once anyway')
        const { tenantId, actor } = principalOf(request)
        const options = { merge: request.query.merge === 'true', actor }
        return importPart(engine.tenant(tenantId), readPart(request.body), options)
      },
    )
  })
}

const pieceCharacters = 65_536

/**
 * Pieces that are worth sending, and a turn of the event loop after each: until there is one, nobody else is served, and
 * nothing of what was read in this process is given back.
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
