import { join } from 'node:path'
import { parseArgs } from 'node:util'

export const root = join(import.meta.dirname, '../..')

/** The options of the programs that measure and fit on all sets. */
export const { values: options } = parseArgs({
  options: {
    data: { type: 'string', default: join(root, '../shared/data') },
    embedder: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    /** The one kind of hits whose weights of relevance are written. */
    kind: { type: 'string' },
    /** Measures only what depends on the relevance. */
    relevance: { type: 'boolean', default: false },
  },
})
