import assert from 'node:assert/strict'
import { mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { test } from 'node:test'
import { createFolder } from '../../../test/support/temporary-folder.ts'
import { chooseOldName, readsOldName } from './old-names.ts'
import { plainUrl, projectOf, remotesIn } from './project.ts'

const origin = (url: string) => `[core]\n\tbare = false\n[remote "origin"]\n\turl = ${url}\n\tfetch = +refs\n`

function createRepository(folder: ReturnType<typeof createFolder>, path: string, config: string | null): string {
  const file = folder.file(`${path}/.git/config`)
  mkdirSync(dirname(file), { recursive: true })
  if (config !== null) writeFileSync(file, config)
  return folder.file(path)
}

test('two repositories of one folder name are two projects, and each is one in all its folders', () => {
  const folder = createFolder()
  const [first, second] = ['a/shop', 'b/shop'].map((path) => createRepository(folder, path, null))
  const inside = folder.file('a/shop/src/app')
  mkdirSync(inside, { recursive: true })
  const project = projectOf(first ?? '')
  assert.match(project.id, /^shop-[0-9a-f]{12}$/)
  assert.equal(project.name, 'shop')
  assert.deepEqual(projectOf(inside), project)
  assert.notEqual(projectOf(second ?? '').id, project.id)
  symlinkSync(first ?? '', folder.file('shop'))
  assert.deepEqual(projectOf(folder.file('shop')), project, 'by another path')
  folder.remove()
})

test('clones of one remote are one project, by any protocol, with any credentials, also in a worktree', () => {
  const folder = createFolder()
  const clone = (path: string, url: string) => projectOf(createRepository(folder, `${path}/shop`, origin(url))).id
  const id = clone('https', 'https://example.org/acme/shop.git')
  for (const [path, url] of [
    ['credentials', 'https://ada:token@example.org/acme/shop'],
    ['scp', 'git@Example.org:acme/shop.git'],
    ['ssh', 'ssh://git@example.org:2222/acme/shop.git/'],
  ] as const)
    assert.equal(clone(path, url), id, url)
  assert.notEqual(clone('fork', 'https://example.org/ben/shop.git'), id)
  assert.notEqual(clone('host', 'https://example.com/acme/shop.git'), id)

  const place = folder.file('https/shop/.git/worktrees/shop')
  mkdirSync(place, { recursive: true })
  writeFileSync(folder.file('https/shop/.git/worktrees/shop/commondir'), '../..\n')
  mkdirSync(folder.file('tree/shop'), { recursive: true })
  writeFileSync(folder.file('tree/shop/.git'), `gitdir: ${place}\n`)
  assert.equal(projectOf(folder.file('tree/shop')).id, id)
  folder.remove()
})

test('a configuration that cannot be read leaves the path', () => {
  const folder = createFolder()
  const broken = [null, '', '[remote', 'x'.repeat(300_000), '[remote "origin"]\n\tfetch = x\n']
  const ids = broken.map((config, at) => projectOf(createRepository(folder, `${at}/shop`, config)).id)
  assert.equal(new Set(ids).size, broken.length)
  mkdirSync(folder.file('gone/shop'), { recursive: true })
  writeFileSync(folder.file('gone/shop/.git'), 'gitdir: /nowhere\n')
  assert.match(projectOf(folder.file('gone/shop')).id, /^shop-/)
  assert.match(projectOf('/projects/My notes').id, /^My-notes-/)
  assert.match(projectOf('/').id, /^project-/)
  folder.remove()
})

test('the remote is origin, or the first one', () => {
  const config = `[remote "fork"]\n url = a:b\n${origin('"c:d"')}[branch "main"]\n remote = origin\n url = x\n`
  assert.deepEqual(
    [...remotesIn(config)],
    [
      ['fork', 'a:b'],
      ['origin', 'c:d'],
    ],
  )
  assert.equal(plainUrl('../shop.git', '/srv/app'), '/srv/shop')
  assert.equal(plainUrl('file:///srv/shop.git', '/'), '/srv/shop')
})

test('a configuration of any origin takes linear time', () => {
  const many = 200_000
  const config = `[remote "origin"]\nurl = a${' '.repeat(many)}"b`
  const begun = performance.now()
  assert.equal(remotesIn(config).size, 1)
  assert.ok(plainUrl(`https://host/a${'/'.repeat(many)}b`, '/').endsWith('/b'))
  assert.ok(performance.now() - begun < 5_000)
})

test('the old name is read only in the projects where it was chosen', () => {
  const folder = createFolder()
  const file = folder.file('config/hook-old-names.json')
  const project = projectOf('/projects/shop')
  assert.equal(readsOldName(project, file), false)
  chooseOldName(project, file)
  chooseOldName(project, file)
  assert.equal(readsOldName(project, file), true)
  assert.equal(readsOldName(projectOf('/others/shop'), file), false)
  assert.equal(statSync(file).mode & 0o777, 0o600)
  writeFileSync(file, 'not json')
  assert.equal(readsOldName(project, file), false)
  folder.remove()
})
