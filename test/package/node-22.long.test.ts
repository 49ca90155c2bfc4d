import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { packageVersion } from '../../src/config/package-version.ts'
import { createFolder } from '../support/temporary-folder.ts'
import { inApp, installInto, packInto } from './packed.ts'

const { platform, arch } = process
/** Node as a package of npm, without an install script. */
const nodePackage = `node-${platform === 'win32' ? 'win' : platform}-${arch}`

// The newest Node is that of packed.test.ts. This is the oldest major version that package.json allows.
describe('the package on Node 22, in a fresh folder', () => {
  const folder = createFolder()
  let app = ''
  const colophon = (...args: string[]) =>
    inApp(
      app,
      join(app, 'node_modules', nodePackage, 'bin/node'),
      ['node_modules/colophon/dist/cli/main.js', ...args],
      {
        COLOPHON_DATA_DIR: join(app, 'data'),
      },
    )
  before(async () => {
    await packInto(folder)
    app = await installInto(folder, [folder.file(`colophon-${packageVersion}.tgz`), `${nodePackage}@22`])
  })
  after(() => folder.remove())

  test('stores a message and retrieves it', async () => {
    assert.match(await colophon('doctor'), /Node 22\./)
    await colophon('add', 'grace', 'I am vegetarian.', '--wait')
    assert.match(await colophon('retrieve', 'grace', 'Is she vegetarian?', '--json'), /vegetarian/)
  })
})
