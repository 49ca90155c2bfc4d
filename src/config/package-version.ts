import { readFileSync } from 'node:fs'

/** The version of the package. The path to package.json is the same in the source and in the build. */
export const packageVersion = (
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }
).version
