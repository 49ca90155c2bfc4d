import { defineNodeType } from './define-node-type.ts'
import { textOf } from './memory-config.ts'

export const workspacePut = defineNodeType({
  typeId: 'colophon.workspace.put',
  description:
    'Writes a workspace file. The run keeps seeing the files of its beginning; later runs see the new version.',
  config: {
    path: { description: 'the path of the file', type: 'text', isRequired: true },
    content: { description: 'the text', type: 'text', isRequired: true },
    contentType: { description: 'the media type; by default text/markdown', type: 'text' },
  },
  replay: 'effects',
  async execute(request) {
    const { memory, config } = request
    const path = textOf(request, 'path')
    const contentType = config.contentType as string | undefined
    await memory.putFile(path, { content: textOf(request, 'content'), contentType })
    return { kind: 'completed', outputs: { path } }
  },
})
