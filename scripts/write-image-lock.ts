// Writes deploy/package.json and deploy/package-lock.json, from which the image is installed. Every version is that of the lockfile of
// the project, which the tests ran with: node scripts/bootstrap.mjs scripts/write-image-lock.ts
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

type Names = Readonly<Record<string, string>>

type Locked = {
  readonly version: string
  readonly dependencies?: Names
  readonly optionalDependencies?: Names
  readonly peerDependencies?: Names
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
}
type Packages = Readonly<Record<string, Locked>>

type Manifest = Pick<Locked, 'version' | 'dependencies' | 'peerDependencies'> & {
  readonly name: string
  readonly license: string
  readonly bin: Names
  readonly engines: Names
}

const root = join(import.meta.dirname, '..')
const readJson = <T>(path: string): T => JSON.parse(readFileSync(join(root, path), 'utf8')) as T

/** The packed program, as the Dockerfile copies it. */
const packed = 'file:colophon.tgz'
/** Optional in the package. The image works with both databases. */
const added = ['pg']

/** The two files of the image, by path. */
export function imageLock(): Readonly<Record<string, string>> {
  const manifest = readJson<Manifest>('package.json')
  const { packages } = readJson<{ packages: Packages }>('package-lock.json')
  const { name, version, license, dependencies = {}, peerDependencies = {}, bin, engines } = manifest
  const image = {
    name: `${name}-image`,
    version,
    private: true,
    dependencies: {
      [name]: packed,
      ...Object.fromEntries(added.map((each) => [each, peerDependencies[each] ?? ''])),
    },
  }
  const locked = lockedFor(packages, [...Object.keys(dependencies), ...added])
  locked[`node_modules/${name}`] = { version, resolved: packed, license, dependencies, bin, engines }
  const { private: _, ...described } = image
  const sorted = Object.fromEntries(Object.entries(locked).sort(([a], [b]) => (a < b ? -1 : 1)))
  const lock = { name: image.name, version, lockfileVersion: 3, requires: true, packages: { '': described, ...sorted } }
  return { 'deploy/package.json': toText(image), 'deploy/package-lock.json': toText(lock) }
}

/** These packages and all that they need, as they are locked. What only an optional dependency needs is optional. */
function lockedFor(packages: Packages, names: readonly string[]): Record<string, object> {
  const required = reachable(packages, names, ({ dependencies, peerDependencies = {}, peerDependenciesMeta }) => [
    ...Object.keys(dependencies ?? {}),
    ...Object.keys(peerDependencies).filter((name) => peerDependenciesMeta?.[name]?.optional !== true),
  ])
  const all = reachable(packages, names, ({ dependencies, optionalDependencies, peerDependencies = {}, ...locked }) => [
    ...Object.keys({ ...dependencies, ...optionalDependencies }),
    ...Object.keys(peerDependencies).filter((name) => locked.peerDependenciesMeta?.[name]?.optional !== true),
  ])
  const entries = [...all].map((path) => {
    const {
      dev: _dev,
      devOptional: _both,
      optional: _optional,
      peer: _peer,
      funding: _funding,
      ...locked
    } = packages[path] as Locked & Record<string, unknown>
    return [path, { ...locked, ...(required.has(path) ? {} : { optional: true }) }]
  })
  return Object.fromEntries(entries)
}

function reachable(
  packages: Packages,
  names: readonly string[],
  namesOf: (locked: Locked) => readonly string[],
): ReadonlySet<string> {
  const found = new Set<string>()
  const waiting = names.map((name) => ({ name, from: '' }))
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const path = resolve(packages, next.name, next.from)
    if (found.has(path)) continue
    found.add(path)
    waiting.push(...namesOf(packages[path] as Locked).map((name) => ({ name, from: path })))
  }
  return found
}

/** Where Node finds a package that another one imports: in its own folder, or in one above it. */
function resolve(packages: Packages, name: string, from: string): string {
  for (let folder = from; ; folder = folder.slice(0, Math.max(folder.lastIndexOf('/node_modules/'), 0))) {
    const path = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`
    if (packages[path] !== undefined) return path
    if (folder === '') throw new Error(`package-lock.json has no ${name}, which ${from || 'the package'} needs.`)
  }
}

function toText(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

if (import.meta.main) for (const [path, text] of Object.entries(imageLock())) writeFileSync(join(root, path), text)
