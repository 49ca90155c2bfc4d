#!/usr/bin/env node
import module from 'node:module'
import { checkNodeVersion } from '../config/node-version.ts'

// First, because the database driver crashes an older Node without a message. No import above may use a name that an older
// Node lacks: the error would name that instead of the version.
try {
  checkNodeVersion()
} catch (error) {
  process.stderr.write(`colophon: ${(error as Error).message}\n`)
  // To Claude Code, 2 from a hook means that the prompt is refused.
  process.exit(process.argv[2] === 'hook' ? 0 : 2)
}
// A start is mostly reading and compiling code. With the cache, the second start skips that. So everything else loads later.
module.enableCompileCache?.()
const [command, ...options] = process.argv.slice(2)
if (command === 'serve' && options.length === 0) {
  // Without the code of all other commands.
  const { serve } = await import('./serve.ts')
  await serve()
} else {
  const { createProgram } = await (command === 'hook' ? import('./hook-program.ts') : import('./program.ts'))
  await createProgram().parseAsync()
}
