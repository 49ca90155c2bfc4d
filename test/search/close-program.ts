// Stores enough to be indexed in the background, closes at once, and says so when that is done.
import { openColophon } from '../../src/index.ts'

const colophon = await openColophon({ path: process.argv[2] ?? '', actor: 'test' })
const entries = Array.from({ length: 1_000 }, (_, index) => ({ content: `note ${index}` }))
await colophon.memory('acme').putMany('notes', entries)
await colophon.close()
console.log('closed')
