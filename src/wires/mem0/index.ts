import type { FastifyRequest } from 'fastify'
import type { Wire } from '../../http/wire.ts'
import { toOpenWopError } from '../openwop-v1/errors.ts'
import { ErrorEnvelope } from '../openwop-v1/schemas/error.ts'
import { withWriterCode } from '../provenance/errors.ts'
import { mem0Routes, root } from './routes.ts'
import { unsupportedCode, unsupportedOperation } from './unsupported.ts'

const isOwn = (path: string) => path === root || path.startsWith(`${root}/`) || path.startsWith(`${root}?`)

/** The client sends `Token KEY`, and names the type of a body that a deletion does not have. Only this wire accepts both. */
function acceptHeaders({ headers, method }: FastifyRequest): void {
  if (headers.authorization !== undefined) headers.authorization = headers.authorization.replace(/^Token +/i, 'Bearer ')
  const hasBody = (headers['content-length'] ?? '0') !== '0' || headers['transfer-encoding'] !== undefined
  if (method === 'DELETE' && !hasBody) delete headers['content-type']
}

/** The API of mem0: its client, pointed at `/mem0`, works on memories with provenance. What has no counterpart is refused by name. */
export const mem0: Wire = {
  owns: isOwn,
  routes: mem0Routes,
  guard(app) {
    app.addHook('onRequest', (request, _reply, done) => {
      if (isOwn(request.url)) acceptHeaders(request)
      done()
    })
  },
  errorSchema: ErrorEnvelope,
  toError(failure, request) {
    const refused = request.is404 ? unsupportedOperation(request.url.slice(root.length).split('?')[0] ?? '') : null
    if (refused === null || failure.code !== 'not_found') return toOpenWopError(withWriterCode(failure))
    const { message, hint } = refused
    return toOpenWopError({ status: 422, code: unsupportedCode, message, details: { hint } })
  },
}
