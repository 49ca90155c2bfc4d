// Adds to package-lock.json the platform packages that the registry at hand does not have, so that `npm ci` accepts the
// lockfile everywhere and other systems find their own: node scripts/bootstrap.mjs scripts/complete-lockfile.ts
import { readFileSync, writeFileSync } from 'node:fs'

type Locked = {
  version: string
  optionalDependencies?: Record<string, string>
  dev?: boolean
  optional?: boolean
  os?: string[]
  cpu?: string[]
  libc?: string[]
}
type Lockfile = { packages: Record<string, Locked> }

const systems = [
  'android',
  'darwin',
  'freebsd',
  'linux',
  'openharmony',
  'win32',
  'windows',
  'wasi',
  'aix',
  'netbsd',
  'openbsd',
  'sunos',
]
const processors = ['arm64', 'arm', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'wasm32', 'x64']

/** The platform that the name of a platform package stands for. */
function platformOf(name: string): Pick<Locked, 'os' | 'cpu' | 'libc'> {
  const words = name.split(/[/-]/)
  const os = words.find((word) => systems.includes(word))
  const cpu = words.find((word) => processors.includes(word))
  const libc = words.some((word) => word.startsWith('musl'))
    ? 'musl'
    : words.some((word) => word.startsWith('gnu'))
      ? 'glibc'
      : undefined
  return {
    ...(cpu === undefined ? {} : { cpu: [cpu] }),
    ...(os === undefined || os === 'wasi' ? {} : { os: [os === 'windows' ? 'win32' : os] }),
    ...(libc === undefined || os !== 'linux' ? {} : { libc: [libc] }),
  }
}

const lockfile = JSON.parse(readFileSync('package-lock.json', 'utf8')) as Lockfile
let added = 0
for (const [path, locked] of Object.entries(lockfile.packages)) {
  for (const [name, version] of Object.entries(locked.optionalDependencies ?? {})) {
    const key = `node_modules/${name}`
    if (path === '' || lockfile.packages[key] !== undefined) continue
    const platform = platformOf(name)
    if (platform.os === undefined && platform.cpu === undefined) continue
    lockfile.packages[key] = {
      version: version.replace(/^[\^~]/, ''),
      ...platform,
      ...(locked.dev ? { dev: true } : {}),
      optional: true,
    }
    added += 1
  }
}
const root = lockfile.packages['']
const rest = Object.entries(lockfile.packages).filter(([path]) => path !== '')
const sorted = Object.fromEntries(rest.sort(([a], [b]) => (a < b ? -1 : 1)))
writeFileSync(
  'package-lock.json',
  `${JSON.stringify({ ...lockfile, packages: { ...(root ? { '': root } : {}), ...sorted } }, null, 2)}\n`,
)
console.log(`${added} packages of other platforms added.`)
