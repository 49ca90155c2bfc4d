// Runs `colophon serve` and prints the packages that it has loaded when it listens.
import { registerHooks } from 'node:module'

const packages = new Set<string>()
registerHooks({
  load(url, context, next) {
    const [, name] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url) ?? []
    if (name !== undefined) packages.add(name)
    return next(url, context)
  },
})
process.argv.splice(2, process.argv.length, 'serve')
await import('../../src/cli/main.ts')
console.log(JSON.stringify([...packages]))
process.kill(process.pid, 'SIGTERM')
