import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Environment } from '../config/config.ts'
import { configFolder } from '../config/user-folders.ts'
import { CliError, exitCodes } from './exit-codes.ts'

/** A server and a key that `login` stored under a name. */
export type Profile = { readonly url: string; readonly key: string }

type Profiles = Readonly<Record<string, Profile>>

export const defaultProfile = 'default'

/** The file of the profiles: in the folder for configuration of the user, readable by its owner only. */
export function profileFile(env: Environment = process.env): string {
  return join(configFolder(env), 'profiles.json')
}

export function readProfiles(file: string = profileFile()): Profiles {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ENOENT') return {}
    throw new CliError(`${file} cannot be read.`, exitCodes.usage)
  }
  try {
    return checked(JSON.parse(text))
  } catch {
    // The message of the parser quotes the text, which has keys.
    throw new CliError(`${file} is damaged. Delete it, and log in again.`, exitCodes.usage)
  }
}

function checked(value: unknown): Profiles {
  const profiles = Object.entries(value as Record<string, Partial<Profile>>)
  for (const [, { url, key }] of profiles) if (typeof url !== 'string' || typeof key !== 'string') throw new TypeError()
  return Object.fromEntries(profiles) as Profiles
}

/** Replaces the file as a whole, so that a crash leaves the old one or the new one. */
export function writeProfiles(profiles: Profiles, file: string = profileFile()): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, `${JSON.stringify(profiles, null, 2)}\n`, { mode: 0o600 })
  chmodSync(draft, 0o600)
  renameSync(draft, file)
}

/**
 * The profile of a command, or null. A profile that is named must exist. The default one is used if nothing in the environment names a
 * database of this machine.
 */
export function chooseProfile(named: string | undefined, env: Environment = process.env): Profile | null {
  const name = named || env.COLOPHON_PROFILE
  if (!name && (env.COLOPHON_DATA_DIR || env.COLOPHON_DATABASE_URL || env.COLOPHON_STORAGE)) return null
  const profile = readProfiles(profileFile(env))[name || defaultProfile]
  if (profile !== undefined) return profile
  if (!name) return null
  throw new CliError(
    `There is no profile ${name}. Make it: colophon login --profile ${name} --url URL`,
    exitCodes.usage,
  )
}

const profilesShown = 5

/**
 * The key that `login` stored for a URL, or the URLs that there are keys for. A key goes to no other host than the one that it was stored for: `localhost` and
 * `127.0.0.1` are two, because another program may listen on what a name stands for.
 */
export function profileFor(
  url: string,
  named: string | undefined,
  env: Environment = process.env,
): { readonly key: string | null; readonly hint: string } {
  const name = named || env.COLOPHON_PROFILE
  const profiles = name ? Object.entries({ [name]: chooseProfile(name, env) as Profile }) : storedProfiles(env)
  const matching = profiles.filter(([, profile]) => serverOf(profile.url) === serverOf(url))
  const [only] = matching.length > 1 ? matching.filter(([found]) => found === defaultProfile) : matching
  if (only !== undefined) return { key: only[1].key, hint: '' }
  if (matching.length > 1) {
    const names = matching.map(([found]) => found).join(', ')
    throw new CliError(`Several profiles are for ${url}. Choose one with --profile: ${names}`, exitCodes.usage)
  }
  const shown = profiles.slice(0, profilesShown).map(([found, profile]) => `${found} is for ${profile.url}`)
  return { key: null, hint: shown.length === 0 ? '' : ` The stored profile ${shown.join(', ')}.` }
}

const storedProfiles = (env: Environment) => Object.entries(readProfiles(profileFile(env)))

/** Scheme, host, port and path, as the parser of URLs writes them: host names in lower case, no default port. A last slash makes no difference. */
function serverOf(url: string): string | null {
  if (!URL.canParse(url)) return null
  const { origin, pathname } = new URL(url)
  return origin + pathname.replace(/\/+$/, '')
}
