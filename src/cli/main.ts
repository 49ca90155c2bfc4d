#!/usr/bin/env node
import { enableCompileCache } from 'node:module'
import { checkNodeVersion } from '../node-version.ts'

// First of all, because the database driver ends an older Node without a word.
checkNodeVersion()
// Starting is mostly reading and compiling code; the second start finds that done. So everything else loads after this.
enableCompileCache?.()
const { createProgram } = await import('./program.ts')
await createProgram().parseAsync()
