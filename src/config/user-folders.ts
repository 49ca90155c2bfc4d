import { homedir } from 'node:os'
import { join, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Environment } from './config.ts'

/** The machine that the program runs on. */
type Place = { readonly packageFolder: string; readonly platform: NodeJS.Platform; readonly home: string }

const here: Place = {
  packageFolder: fileURLToPath(new URL('../..', import.meta.url)),
  platform: process.platform,
  home: homeFolder(),
}

/** An account without an entry on this machine, as in containers, has no home folder, and Node throws. */
function homeFolder(): string {
  try {
    return homedir()
  } catch {
    return '/'
  }
}

/** The data folder without COLOPHON_DATA_DIR: `./data` in a clone. An installed package has no folder of its own, so it uses the user's. */
export function defaultDataDir(env: Environment, place: Place = here): string {
  const { packageFolder, platform, home } = place
  if (!packageFolder.split(sep).includes('node_modules')) return resolve('./data')
  if (platform === 'win32') return join(env.LOCALAPPDATA || join(home, 'AppData', 'Local'), 'colophon')
  return unixFolder(env.XDG_DATA_HOME, '.local/share', place)
}

/** The folder for configuration of the user. */
export function configFolder(env: Environment, place: Place = here): string {
  if (place.platform === 'win32') return join(env.APPDATA || join(place.home, 'AppData', 'Roaming'), 'colophon')
  return unixFolder(env.XDG_CONFIG_HOME, '.config', place)
}

function unixFolder(named: string | undefined, usual: string, { platform, home }: Place): string {
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'colophon')
  // The specification says that a relative path is to be ignored.
  return join(named?.startsWith('/') ? named : join(home, usual), 'colophon')
}

/** The folder in which an assistant keeps its settings: the one that a variable names, or one in the user's home. */
export function assistantFolder(named: string | undefined, usual: string, place: Place = here): string {
  return named ? resolve(named) : join(place.home, usual)
}
