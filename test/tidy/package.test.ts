import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { test } from 'node:test'

type Package = {
  exports: Record<string, { types: string; default: string } | string>
  engines: { node: string }
  version: string
}

const json = <T>(path: string) => JSON.parse(readFileSync(path, 'utf8')) as T

test('the lockfile names no registry host', () => {
  assert.doesNotMatch(
    readFileSync('package-lock.json', 'utf8'),
    /"resolved"|https?:\/\/(?!(github\.com|opencollective\.com|dotenvx\.com|www\.|paulmillr|tidelift|feross|ko-fi|polar\.sh))[a-z0-9.-]*registry/i,
  )
})

type Locked = {
  integrity?: string
  link?: boolean
  dev?: boolean
  optional?: boolean
  os?: string[]
  cpu?: string[]
  libc?: string[]
}
type Lockfile = { packages: Record<string, Locked> }

test('the lockfile has the hash of every package that is installed', () => {
  const locked = json<Lockfile>('package-lock.json').packages
  const installed = Object.entries(json<Lockfile>('node_modules/.package-lock.json').packages)
  const differs = installed.filter(([path, { integrity }]) => integrity !== locked[path]?.integrity)
  assert.deepEqual(differs, [], 'what is installed is not what the lockfile names')
  // Tools for other platforms, which the registry at hand may lack: decision 13.
  const isForLinux = ({ os = ['linux'], cpu = ['x64'], libc = ['glibc'] }: Locked) =>
    os.includes('linux') && cpu.includes('x64') && libc.includes('glibc')
  const isOther = (each: Locked) => each.dev === true && each.optional === true && !isForLinux(each)
  const without = Object.entries(locked).filter(([path, each]) => path !== '' && !each.link && !each.integrity)
  assert.deepEqual(
    without.filter(([, each]) => !isOther(each)).map(([path]) => path),
    [],
  )
})

test('every export points to a source file', () => {
  for (const target of Object.values(json<Package>('package.json').exports)) {
    if (target === './package.json') continue
    assert.ok(typeof target === 'object')
    const { types, default: code } = target
    // The contract suite is compiled into dist/testing: scripts/build.ts.
    const source = code
      .replace('./dist/testing/', 'test/contract/suite/')
      .replace('./dist/', 'src/')
      .replace(/\.js$/, '.ts')
    assert.ok(existsSync(source), `${code} has no ${source}`)
    assert.equal(types, code.replace(/\.js$/, '.d.ts'))
  }
})

test('the start-up guard and package.json agree on the oldest Node', () => {
  const [, floor] = /nodeVersionMin = \[(\d+, \d+)\]/.exec(readFileSync('src/config/node-version.ts', 'utf8')) ?? []
  assert.equal(json<Package>('package.json').engines.node, `>=${floor?.replace(', ', '.')}`)
})

test('no file holds a path of a machine', () => {
  // Without git: a machine may have the project from an archive.
  const ignored = readFileSync('.gitignore', 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => (line.startsWith('/') ? line.slice(1) : `**/${line}`).replace(/\/$/, ''))
  const files = globSync(['**', '**/.*', '.ci/*'], { exclude: [...ignored, '.git'] })
  const machinePath = new RegExp(['/ho' + 'me/[a-z]', '/Us' + 'ers/[A-Za-z]', '/wo' + 'rk/', '/ro' + 'ot/'].join('|'))
  for (const file of files.filter(
    (name) => statSync(name, { throwIfNoEntry: false })?.isFile() && name !== 'package-lock.json',
  )) {
    assert.doesNotMatch(readFileSync(file, 'utf8'), machinePath, file)
  }
})
