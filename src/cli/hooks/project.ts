import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { sha256 } from '../../core/audit/digest.ts'

/** The project of a folder: its name, and a name with a digest that another project of this name does not have. */
export type Project = { readonly name: string; readonly id: string }

/** Hexadecimal digits of a digest: two projects of one name have the same with a probability of 1 in 10^14. */
const digestCharacters = 12
/** A larger configuration of git is not read. */
const gitConfigBytesMax = 262_144

/**
 * The project of the nearest folder above that is a git repository, or of the folder itself. It is known by the remote of the repository, so
 * clones share it, and without a remote by its path.
 */
export function projectOf(folder: string): Project {
  const root = rootOf(resolve(folder))
  const name = nameOf(root)
  const identity = remoteOf(root) ?? realPathOf(root)
  return { name, id: `${name}-${sha256(identity).slice(0, digestCharacters)}` }
}

function rootOf(folder: string): string {
  for (let at = folder; at !== dirname(at); at = dirname(at)) if (existsSync(join(at, '.git'))) return at
  return folder
}

function nameOf(folder: string): string {
  const name = basename(folder)
    .replaceAll(/[\s\p{C}]+/gu, '-')
    .slice(0, 128)
    .toWellFormed()
  return name === '' || name === '.' || name === '..' ? 'project' : name
}

function realPathOf(folder: string): string {
  try {
    return `path:${realpathSync(folder)}`
  } catch {
    return `path:${folder}`
  }
}

/** The remote `origin` of a repository, else its first one, in one form for all protocols; null if it has none that can be read. */
function remoteOf(root: string): string | null {
  try {
    const file = join(gitFolder(join(root, '.git')), 'config')
    if (statSync(file).size > gitConfigBytesMax) return null
    const remotes = remotesIn(readFileSync(file, 'utf8'))
    const url = remotes.get('origin') ?? [...remotes.values()][0]
    return url === undefined ? null : `remote:${plainUrl(url, root)}`
  } catch {
    return null
  }
}

/** The folder with the configuration: in a worktree and in a submodule, `.git` is a file that names another folder. */
function gitFolder(place: string): string {
  if (statSync(place).isDirectory()) return place
  const named = /^gitdir: (.+)$/m.exec(readFileSync(place, 'utf8'))?.[1] ?? '.'
  const folder = resolve(dirname(place), named.trim())
  const common = join(folder, 'commondir')
  return existsSync(common) ? resolve(folder, readFileSync(common, 'utf8').trim()) : folder
}

/** The URL of each remote, by its name. */
export function remotesIn(config: string): Map<string, string> {
  const remotes = new Map<string, string>()
  let remote: string | undefined
  for (const line of config.split(/\r?\n/)) {
    const section = /^\s*\[(.*)\]\s*$/.exec(line)
    if (section !== null) remote = /^remote "(.+)"$/.exec(section[1] ?? '')?.[1]
    const url = /^url\s*=(.+)$/.exec(line.trim())?.[1]?.trim().replace(/^"|"$/g, '')
    if (remote !== undefined && url && !remotes.has(remote)) remotes.set(remote, url)
  }
  return remotes
}

/** Host and path: without the protocol, its port and credentials, which differ between the clones of one repository. */
export function plainUrl(url: string, root: string): string {
  const scp = /^(?:[^@/\s]+@)?([^:/\s]{2,}):(?!\/\/)(.+)$/.exec(url)
  const remote = scp ?? /^(?!file:)[a-z][a-z0-9+.-]*:\/\/(?:[^@/]*@)?([^:/]+)(?::\d+)?\/(.+)$/i.exec(url)
  const withoutEnd = (path: string) => path.replace(/(?<!\/)\/+$/, '').replace(/\.git$/, '')
  if (remote === null) return withoutEnd(resolve(root, url.replace(/^file:\/\//, '')))
  const [, host = '', path = ''] = remote
  return `${host.toLowerCase()}/${withoutEnd(path.replace(/^\/+/, ''))}`
}
