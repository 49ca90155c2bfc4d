// npm start: builds what is missing, then serves.
import { buildConsole } from './build-console.ts'

await buildConsole()
process.argv.splice(2, process.argv.length, 'serve')
await import('../src/cli/main.ts')
