import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'

/** The helpers, and texts that are data: examples of what people write. */
const allowed =
  /^src\/config\/user-folders\.ts$|^test\/support\/temporary-folder\.ts$|^test\/(redaction|extract)\/|^test\/tidy\/temporary-files/

const byHand = /['"`\s]\/(var\/)?tmp\b|\btmpdir\b|\bhomedir\b|\benv\.(HOME|USERPROFILE)\b|['"`]~\//

test('no file names the folder for temporary files or a home folder by hand: createFolder does', () => {
  const files = globSync('{src,test}/**/*.{ts,tsx,mjs}').filter((file) => !allowed.test(file))
  const found = files.flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((line, index) => (byHand.test(line) ? [`${file}:${index + 1} ${line.trim()}`] : [])),
  )
  assert.deepEqual(found, [])
})
