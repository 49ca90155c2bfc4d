import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { packageVersion } from '../../src/config/package-version.ts'
import { installLockedInto, packInto } from '../package/packed.ts'
import { createFolder } from '../support/temporary-folder.ts'
import { imageOf, readDeployFile, userId } from './deploy-files.ts'

const run = promisify(execFile)
const image = imageOf(readDeployFile('deploy/Dockerfile'))
const canChroot = process.platform === 'linux' && process.getuid?.() === 0

/** Copies a program with the libraries that it is linked to. */
async function copyProgram(program: string, to: string, rootFolder: string): Promise<void> {
  const { stdout } = await run('ldd', [program])
  const libraries = [...stdout.matchAll(/(\/\S+) \(0x/g)].map(([, path = '']) => path)
  for (const [from, target] of [[program, to], ...libraries.map((path) => [path, path])] as [string, string][]) {
    mkdirSync(join(rootFolder, dirname(target)), { recursive: true })
    copyFileSync(from, join(rootFolder, target))
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  return port
}

// The root folder of the image without a container engine: Node, its libraries and the installed package, nothing else.
describe('the root folder of the image', { skip: canChroot ? false : 'chroot needs root on Linux' }, () => {
  const folder = createFolder()
  const rootFolder = folder.file('root')
  const inImage = (command: readonly string[], env: Record<string, string>) => {
    // The root is read-only except for the volume, as with --read-only.
    const mounts = `mount --bind ${rootFolder} ${rootFolder} && mount --bind ${rootFolder}${image.volume} ${rootFolder}${image.volume} && mount -o remount,bind,ro ${rootFolder}`
    const script = `${mounts} && exec chroot --userspec=${image.user} ${rootFolder} "$@"`
    return spawn('unshare', ['--mount', '--propagation', 'private', 'sh', '-c', script, 'sh', ...command], {
      env: { ...image.env, PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin', ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
  }
  let server: ChildProcess | null = null

  before(async () => {
    await packInto(folder)
    const app = await installLockedInto(folder, folder.file(`colophon-${packageVersion}.tgz`))
    mkdirSync(join(rootFolder, image.volume), { recursive: true })
    chownSync(join(rootFolder, image.volume), userId, userId)
    cpSync(app, join(rootFolder, 'app'), { recursive: true, verbatimSymlinks: true })
    await copyProgram(process.execPath, '/usr/local/bin/node', rootFolder)
    mkdirSync(join(rootFolder, 'etc'))
    writeFileSync(join(rootFolder, 'etc/hosts'), '127.0.0.1 localhost\n')
  })
  after(() => {
    server?.kill('SIGKILL')
    folder.remove()
  })

  test('has a list of its components with every dependency of the package', async () => {
    const args = ['sbom', '--sbom-format=cyclonedx']
    const { stdout } = await run('npm', args, { cwd: folder.file('app'), maxBuffer: 64 * 1_048_576 })
    const { components } = JSON.parse(stdout) as { components: { name: string }[] }
    const { dependencies } = JSON.parse(readDeployFile('package.json')) as { dependencies: Record<string, string> }
    const listed = new Set(components.map(({ name }) => name))
    const missing = ['colophon', 'pg', ...Object.keys(dependencies)].filter((name) => !listed.has(name))
    assert.deepEqual(missing, [])
  })

  test('serves as its user with a read-only root, is healthy, and stops in order', async () => {
    // tini is not part of the check: the program itself handles the signal.
    const program = image.entrypoint.slice(image.entrypoint.indexOf('--') + 1)
    const env = { COLOPHON_PORT: String(await freePort()), COLOPHON_HOST: '127.0.0.1' }
    server = inImage([...program, ...image.command], env)
    const ended = once(server, 'close')
    let output = ''
    await new Promise<void>((resolve, reject) => {
      if (server?.stdout)
        createInterface({ input: server.stdout }).on('line', (line) => {
          output += `${line}\n`
          if (line.startsWith('colophon listening on')) resolve()
        })
      void ended.then(() => reject(new Error(`The server ended:\n${output}`)))
    })
    const [, key = ''] = /api key for tenant default: (\S+)/.exec(output) ?? []
    const entries = `http://127.0.0.1:${env.COLOPHON_PORT}/v1/host/colophon/memory/ada/entries`
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ content: 'Ada prefers tea.' })
    assert.equal((await fetch(entries, { method: 'POST', headers, body })).status, 201)
    const [healthy] = await once(inImage(image.healthCheck, env), 'close')
    assert.equal(healthy, 0)
    const [unhealthy] = await once(inImage(image.healthCheck, { COLOPHON_PORT: '1' }), 'close')
    assert.equal(unhealthy, 1)
    server.kill(image.stopSignal as NodeJS.Signals)
    assert.deepEqual(await ended, [0, null])
    const files = readdirSync(join(rootFolder, image.volume))
    assert.ok(files.includes('colophon.db') && !files.includes('server.json'), files.join())
    assert.ok(!existsSync(join(rootFolder, 'tmp')))
  })
})
