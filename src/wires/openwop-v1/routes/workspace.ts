import { deleteFile, getFile, listFiles, putFile, type StoredFile } from '../../../app/workspace/files.ts'
import { defaultWorkspace } from '../../../core/workspace/workspace-file.ts'
import { respond, route } from '../../../http/route.ts'
import { NoContent } from '../../schema-parts.ts'
import {
  WorkspaceFile,
  WorkspaceFileDraft,
  WorkspaceFileList,
  WorkspaceFileQuery,
  WorkspaceListQuery,
} from '../schemas/workspace.ts'

const base = '/v1/host/workspace/files'
const tag = 'workspace'

/** The workspace files of the key's tenant. A path may be sent with its slashes, or with `%2F`. */
export const workspaceRoutes = [
  route('listWorkspaceFiles', `GET ${base}`, 'workspace:read', {
    summary: 'List workspace files',
    description: 'All files in order of path, without their contents.',
    tag,
    query: WorkspaceListQuery,
    responses: { 200: WorkspaceFileList },
    handler: async ({ tenant, query }) => ({
      files: (await listFiles(tenant, defaultWorkspace, { prefix: query.prefix ?? '' })).map(toRow),
    }),
  }),
  route('getWorkspaceFile', `GET ${base}/{path}`, 'workspace:read', {
    summary: 'Get a workspace file',
    description: 'The newest version of a file, or with `version` an earlier one that is still stored.',
    tag,
    query: WorkspaceFileQuery,
    responses: { 200: WorkspaceFile },
    handler: ({ tenant, params, query }) =>
      getFile(tenant, defaultWorkspace, params.path, query.version === undefined ? undefined : Number(query.version)),
  }),
  route('putWorkspaceFile', `PUT ${base}/{path}`, 'workspace:write', {
    summary: 'Create or replace a workspace file',
    description:
      'Stores the next version of a file. With `If-Match`, only if the file still has that etag. Secrets are redacted before anything is stored. Runs that began before keep the version that they see.',
    tag,
    body: WorkspaceFileDraft,
    responses: { 200: WorkspaceFile },
    async handler({ tenant, params, body, write, request }) {
      const options = { ...write, ifMatch: request.headers['if-match'] }
      const { file, repeated } = await putFile(tenant, defaultWorkspace, params.path, body, options)
      return respond(file, { repeated })
    },
  }),
  route('deleteWorkspaceFile', `DELETE ${base}/{path}`, 'workspace:write', {
    summary: 'Delete a workspace file',
    description:
      'Ends the file. Runs that began before still see it. A new file of the same path begins with version 1.',
    tag,
    responses: { 204: NoContent },
    async handler({ tenant, params, write, request }) {
      const options = { ...write, ifMatch: request.headers['if-match'] }
      const { repeated } = await deleteFile(tenant, defaultWorkspace, params.path, options)
      return respond(null, { repeated })
    },
  }),
]

function toRow({ content: _content, ...row }: StoredFile) {
  return row
}
