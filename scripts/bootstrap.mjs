// Makes a fresh clone ready and runs a script with the project's own Node: node scripts/bootstrap.mjs SCRIPT [ARGUMENT…]
// It must run on Node 20 without any package, because it is what installs the packages.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const onWindows = process.platform === 'win32'
/** A program in a clone that imports `colophon`, as users of the package do, gets the source: nothing has to be built first. */
const fromSource = '--conditions=colophon-source'
const localNode = join(root, 'node_modules', '.bin', onWindows ? 'node.cmd' : 'node')

function fail(message) {
  process.stderr.write(`colophon: ${message}\n`)
  process.exit(1)
}

function readLock(path) {
  try {
    return JSON.parse(readFileSync(join(root, path), 'utf8')).packages ?? {}
  } catch {
    return null
  }
}

/** npm writes what it really installed beside the packages; every package that is not optional must be there as locked. */
function isInstalled() {
  const wanted = readLock('package-lock.json')
  const present = readLock('node_modules/.package-lock.json')
  if (wanted === null) fail('package-lock.json is missing or damaged; restore it from the repository.')
  if (present === null || !existsSync(localNode)) return false
  return Object.entries(wanted).every(([path, { version, optional, devOptional }]) => {
    if (path === '' || optional || devOptional) return true
    return present[path]?.version === version && existsSync(join(root, path))
  })
}

/** The newest usable Node: the project's own, or the one running this when it is new enough. */
function nodeToRun() {
  const found = spawnSync(localNode, ['--version'], { encoding: 'utf8', shell: onWindows })
  if (found.status === 0) return localNode
  if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath
  return fail(
    'the package "node" did not install its binary (its install script was blocked or the download failed). ' +
      'Run "npm ci --foreground-scripts" to see why, or put Node 24 on the PATH.',
  )
}

if (!isInstalled()) {
  process.stderr.write('colophon: installing packages (npm ci) …\n')
  const npm = process.env.npm_execpath
  const [command, args] = npm?.endsWith('.js') ? [process.execPath, [npm, 'ci']] : ['npm', ['ci']]
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error']
  const installed = spawnSync(command, [...args, ...quiet], { cwd: root, stdio: ['ignore', 2, 2], shell: onWindows })
  if (installed.status !== 0)
    fail('npm ci failed (see above). Check the network and the npm registry setting, then run the command again.')
}

const [script, ...args] = process.argv.slice(2)
if (script !== undefined) {
  const env = {
    ...process.env,
    PATH: `${join(root, 'node_modules', '.bin')}${onWindows ? ';' : ':'}${process.env.PATH}`,
  }
  const child = spawn(nodeToRun(), [fromSource, join(root, script), ...args], {
    cwd: root,
    stdio: 'inherit',
    env,
    shell: onWindows,
  })
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal))
  // npm starts this through a shell. A signal to npm ends the shell, but not this process, and the server would stay behind unnoticed.
  if (process.env.npm_lifecycle_event !== undefined) {
    const parent = process.ppid
    const looking = setInterval(() => {
      if (process.ppid === parent) return
      clearInterval(looking)
      child.kill('SIGTERM')
    }, 500)
    looking.unref()
  }
  child.on('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 1)))
}
