import { homedir } from 'node:os'
import { join, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Environment } from './config.ts'

/** The machine that the program runs on. */
type Place = { readonly packageFolder: string; readonly platform: NodeJS.Platform; readonly home: string }

const here: Place = {
  packageFolder: fileURLToPath(new URL('../..', import.meta.url)),
  platform: process.platform,
  home: homedir(),
}

/** The data folder without COLOPHON_DATA_DIR: `./data` in a clone. An installed package has no folder of its own, so it uses the user's. */
export function defaultDataDir(env: Environment, { packageFolder, platform, home }: Place = here): string {
  if (!packageFolder.split(sep).includes('node_modules')) return resolve('./data')
  return join(userFolder(env, platform, home), 'colophon')
}

function userFolder(env: Environment, platform: NodeJS.Platform, home: string): string {
  if (platform === 'win32') return env.LOCALAPPDATA || join(home, 'AppData', 'Local')
  if (platform === 'darwin') return join(home, 'Library', 'Application Support')
  // The specification says that a relative path is to be ignored.
  return env.XDG_DATA_HOME?.startsWith('/') ? env.XDG_DATA_HOME : join(home, '.local', 'share')
}
