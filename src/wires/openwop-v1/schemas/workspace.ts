import { z } from 'zod'
import { instant, list } from '../../schema-parts.ts'
import { at } from './examples.ts'

const facts = {
  path: z.string().describe('A flat name that may have slashes'),
  contentType: z.string().optional(),
  version: z.int().min(1).describe('1 for a new file, and one more with every write'),
  etag: z.string().optional().describe('Names this version in `If-Match`'),
  updatedAt: instant,
}

const row = { path: 'plans/visit.md', contentType: 'text/markdown', version: 2, etag: '41.2', updatedAt: at }

export const WorkspaceFile = z
  .strictObject({ ...facts, content: z.string() })
  .meta({ id: 'WorkspaceFile', description: 'One file of the workspace.', examples: [{ ...row, content: '# Visit' }] })

export const WorkspaceFileRow = z
  .strictObject(facts)
  .meta({ id: 'WorkspaceFileRow', description: 'A file of the workspace without its content.' })

export const WorkspaceFileList = z
  .strictObject({ files: list(WorkspaceFileRow) })
  .meta({ id: 'WorkspaceFileList', description: 'Files in order of path.', examples: [{ files: [row] }] })

export const WorkspaceFileDraft = z
  .strictObject({ content: z.string(), contentType: z.string().optional().describe('text/markdown by default') })
  .meta({ id: 'WorkspaceFileCreate', description: 'The new content of a file.', examples: [{ content: '# Visit' }] })

export const WorkspaceListQuery = z.strictObject({
  prefix: z.string().optional().describe('Only files whose path begins with this'),
})

export const WorkspaceFileQuery = z.strictObject({
  version: z
    .string()
    .regex(/^[1-9]\d{0,8}$/)
    .optional()
    .describe('An earlier version of the file'),
})
