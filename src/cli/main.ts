#!/usr/bin/env node
import module from 'node:module'
import { checkNodeVersion } from '../config/node-version.ts'

// First of all, because the database driver ends an older Node without a word. Nothing before it may be named that such a
// Node does not have: it would end with that name instead of the reason.
checkNodeVersion()
// Starting is mostly reading and compiling code; the second start finds that done. So everything else loads after this.
module.enableCompileCache?.()
const { createProgram } = await import('./program.ts')
await createProgram().parseAsync()
