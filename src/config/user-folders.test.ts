import assert from 'node:assert/strict'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { configFolder, defaultDataDir } from './user-folders.ts'

const installed = { packageFolder: '/srv/app/node_modules/colophon/', home: '/people/ada' }

test('a clone keeps its data in ./data', () => {
  const place = { packageFolder: '/srv/colophon/', platform: 'linux', home: '/people/ada' } as const
  assert.equal(defaultDataDir({ XDG_DATA_HOME: '/xdg' }, place), resolve('data'))
})

test('an installed package uses the data folder of the user', () => {
  const folder = (platform: NodeJS.Platform, env = {}) => defaultDataDir(env, { ...installed, platform })
  assert.equal(folder('linux'), '/people/ada/.local/share/colophon')
  assert.equal(folder('linux', { XDG_DATA_HOME: '/xdg' }), '/xdg/colophon')
  assert.equal(folder('linux', { XDG_DATA_HOME: 'relative' }), '/people/ada/.local/share/colophon')
  assert.equal(folder('darwin'), '/people/ada/Library/Application Support/colophon')
  assert.equal(folder('win32', { LOCALAPPDATA: '/appdata' }), '/appdata/colophon')
})

test('the configuration of a user has a folder of its own', () => {
  const folder = (platform: NodeJS.Platform, env = {}) => configFolder(env, { ...installed, platform })
  assert.equal(folder('linux'), '/people/ada/.config/colophon')
  assert.equal(folder('linux', { XDG_CONFIG_HOME: '/xdg' }), '/xdg/colophon')
  assert.equal(folder('win32', { APPDATA: '/appdata' }), '/appdata/colophon')
})
