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

for (const guide of guides) {
  const text = readFileSync(join(root, guide), 'utf8')

  test(`links of ${guide} lead somewhere`, () => {
    const anchors = [...text.matchAll(/^#+ (.+)$/gm)].map((found) => `#${anchorOf(found[1] ?? '')}`)
    for (const [, target = ''] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^https?:/.test(target)) continue
      if (target.startsWith('#')) assert.ok(anchors.includes(target), `there is no heading ${target}`)
      else assert.ok(existsSync(join(root, dirname(guide), target)), `${target} does not exist`)
    }
  })

  test(`files that ${guide} names exist`, () => {
    for (const [, path = ''] of text.matchAll(/`((?:src|test|docs|scripts|examples)\/[\w./-]+)`/g)) {
      assert.ok(existsSync(join(root, path)), `${path} does not exist`)
    }
  })
}
