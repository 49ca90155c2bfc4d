import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import test from 'node:test'

const root = join(import.meta.dirname, '../..')
const guides = [...globSync('*.md', { cwd: root }), ...globSync('docs/**/*.md', { cwd: root })].sort()

/** A heading's name in a link, as GitHub makes it. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .replaceAll(' ', '-')
}

function anchorsOf(guide: string): string[] {
  const text = readFileSync(join(root, guide), 'utf8')
  return [...text.matchAll(/^#+ (.+)$/gm)].map((found) => anchorOf(found[1] ?? ''))
}

for (const guide of guides) {
  const text = readFileSync(join(root, guide), 'utf8')

  test(`links of ${guide} are not broken`, () => {
    for (const [, target = ''] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^https?:/.test(target)) continue
      const [path = '', anchor] = target.split('#')
      const file = path === '' ? guide : join(dirname(guide), path)
      assert.ok(existsSync(join(root, file)), `${target} does not exist`)
      if (anchor !== undefined) assert.ok(anchorsOf(file).includes(anchor), `there is no heading for ${target}`)
    }
  })

  test(`files that ${guide} names exist`, () => {
    for (const [, path = ''] of text.matchAll(/`((?:src|test|docs|scripts|examples)\/[\w./-]+)`/g)) {
      assert.ok(existsSync(join(root, path)), `${path} does not exist`)
    }
  })
}
