import type { CallOptions, Transport } from './transport.ts'
import type * as wire from './types.ts'

/**
 * The files of the workspace: texts under a path, with versions. Runs see them as they were when the run began.
 *
 * @example
 * const { etag } = await client.workspace.put('plans/visit.md', { content: '# Visit' })
 * await client.workspace.put('plans/visit.md', { content: '# Visit on Friday' }, { ifMatch: etag })
 */
export function workspaceCalls({ send }: Transport) {
  return {
    /** All files in order of path, without their contents. */
    list: (query?: { readonly prefix?: string | undefined }, options?: CallOptions) =>
      send<wire.WorkspaceFileList>('GET /v1/host/workspace/files', { query }, options),
    /** One file: its newest version, or an earlier one. */
    get: (path: string, query?: { readonly version?: number | undefined }, options?: CallOptions) =>
      send<wire.WorkspaceFile>('GET /v1/host/workspace/files/{path}', { path: { path }, query }, options),
    /** Creates or replaces a file. With `ifMatch`, only if the file still has that etag. */
    put: (path: string, body: wire.WorkspaceFileDraft, options?: MatchOptions) =>
      send<wire.WorkspaceFile>('PUT /v1/host/workspace/files/{path}', { path: { path }, body }, withMatch(options)),
    /** Deletes a file. With `ifMatch`, only if the file still has that etag. */
    delete: (path: string, options?: MatchOptions) =>
      send<void>('DELETE /v1/host/workspace/files/{path}', { path: { path } }, withMatch(options)),
  }
}

/** Options of a write to a file: `ifMatch` is the etag that you have read. */
export type MatchOptions = CallOptions & { readonly ifMatch?: string | undefined }

function withMatch({ ifMatch, ...options }: MatchOptions = {}): CallOptions {
  return ifMatch === undefined ? options : { ...options, headers: { ...options.headers, 'if-match': ifMatch } }
}
