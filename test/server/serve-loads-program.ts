// Runs `colophon serve` and prints the packages that it has loaded when it listens.
import { packages } from './loaded-packages.ts'

process.argv.splice(2, process.argv.length, 'serve')
await import('../../src/cli/main.ts')
console.log(JSON.stringify([...packages]))
process.kill(process.pid, 'SIGTERM')
