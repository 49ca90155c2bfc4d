import { z } from 'zod'
import { deleteFile, getFile, listFiles, putFile } from '../app/workspace/files.ts'
import { type App, principalOf, type RouteParts } from '../http/route-context.ts'

const name = z.string().regex(/^[\w.-]{1,64}$/)

const WorkspaceOperation = z.looseObject({
  tenant: name,
  workspace: name,
  op: z.enum(['list', 'get', 'put', 'delete']),
  path: z.string().optional(),
  content: z.string().optional(),
  ifMatch: z.string().optional(),
  prefix: z.string().optional(),
  version: z.int().min(1).optional(),
})

/**
 * Workspaces by name, for conformance tests. The tenant is always that of the key: a tenant in the body is part of the
 * name of a workspace of the key's own tenant.
 */
export function workspaceSeams(app: App, { engine }: RouteParts): void {
  app.post(
    '/v1/host/sample/workspace/op',
    { config: { access: 'workspace:write' }, schema: { hide: true, body: WorkspaceOperation } },
    async (request, reply) => {
      const { tenantId, actor } = principalOf(request)
      const tenant = engine.tenant(tenantId)
      const { op, path = '', content = '', ifMatch, prefix = '', version, ...names } = request.body
      const workspace = `${names.tenant}.${names.workspace}`
      switch (op) {
        case 'list': {
          const files = await listFiles(tenant, workspace, { prefix })
          return { files: files.map(({ content: _content, ...row }) => row) }
        }
        case 'get':
          return getFile(tenant, workspace, path, version)
        case 'put':
          return (await putFile(tenant, workspace, path, { content }, { actor, ifMatch })).file
        case 'delete':
          await deleteFile(tenant, workspace, path, { actor, ifMatch })
          return reply.code(204).send(null)
      }
    },
  )
}
