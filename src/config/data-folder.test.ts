import assert from 'node:assert/strict'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { defaultDataDir } from './data-folder.ts'

const installed = { packageFolder: '/srv/app/node_modules/colophon/', home: '/home/ada' }

test('a clone keeps its data in ./data', () => {
  const place = { packageFolder: '/srv/colophon/', platform: 'linux', home: '/home/ada' } as const
  assert.equal(defaultDataDir({ XDG_DATA_HOME: '/xdg' }, place), resolve('data'))
})

test('an installed package uses the data folder of the user', () => {
  const folder = (platform: NodeJS.Platform, env = {}) => defaultDataDir(env, { ...installed, platform })
  assert.equal(folder('linux'), '/home/ada/.local/share/colophon')
  assert.equal(folder('linux', { XDG_DATA_HOME: '/xdg' }), '/xdg/colophon')
  assert.equal(folder('linux', { XDG_DATA_HOME: 'relative' }), '/home/ada/.local/share/colophon')
  assert.equal(folder('darwin'), '/home/ada/Library/Application Support/colophon')
  assert.equal(folder('win32', { LOCALAPPDATA: '/appdata' }), '/appdata/colophon')
})
