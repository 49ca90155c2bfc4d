import { readFileSync } from 'node:fs'

/** The version of the package, beside this file's folder in the source as in the build. */
export const packageVersion = (
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }
).version
