import { loadConfig } from '../config/config.ts'
import type { Config } from '../config/settings.ts'
import { configWarnings } from '../config/warnings.ts'
import { findLockHolder, lockDataDir } from '../operate/data-lock.ts'
import { CliError, exitCodes } from './exit-codes.ts'
import { reportFailure } from './report-failure.ts'

const parentCheckMs = 500

/** Loaded on use: the server is most of the program, and other commands start faster without it. */
async function loadServer() {
  return Promise.all([import('../server/serve.ts'), import('../server/listen.ts')])
}

/** Serves until a signal. Every failure becomes a message and an exit code. */
export const serve = () => reportFailure(startServing)

async function startServing(): Promise<void> {
  const config = loadConfig(process.env)
  const lock = config.storage === 'sqlite' ? lockDataDir(config.dataDir) : undefined
  if (lock === null) refuseLockedFolder(config)
  if (config.storage === 'sqlite') process.stdout.write(`colophon data folder: ${config.dataDir}\n`)
  const [{ createServer }, { drain, listen }] = await loadServer()
  const [{ allocateAllAsNew, limitYoungGenerationOfStreams }, { collectAfterStart }] = await Promise.all([
    import('../server/young-generation.ts'),
    import('../server/collect-after-start.ts'),
  ])
  limitYoungGenerationOfStreams()
  const server = await createServer({ config }).catch((error) => {
    lock?.release()
    throw error
  })
  const stop = async () => {
    await drain(server)
    lock?.release()
  }
  // Before the line "listening" is printed: a process that waits for that line can send a signal at once.
  stopOnSignal(stop)
  for (const warning of configWarnings(process.env, config)) server.app.log.warn(warning)
  try {
    const { url, firstKey } = await listen(server, config, (url) => lock?.recordUrl(url))
    if (firstKey !== null) process.stdout.write(`colophon api key for tenant default: ${firstKey}\n`)
    process.stdout.write(`colophon listening on ${url}\n`)
    // Not before: the options of a start are those of the cache of compiled code.
    allocateAllAsNew()
    collectAfterStart()
  } catch (error) {
    await stop()
    throw error
  }
}

export function refuseLockedFolder(config: Config): void {
  const holder = config.storage === 'sqlite' ? findLockHolder(config.dataDir) : null
  if (!holder) return
  throw new CliError(`another server uses the data folder ${config.dataDir}, at ${holder.url}.`, exitCodes.unavailable)
}

function stopOnSignal(stop: () => Promise<void>): void {
  let stopping = false
  const onSignal = () => {
    if (stopping) return
    stopping = true
    reportFailure(stop).then(() => process.exit())
  }
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
  if (process.env.npm_lifecycle_event === 'npx') onParentExit(onSignal)
}

/** npx starts a program through a shell. A signal to npx ends the shell, but not the program, which would keep running. */
function onParentExit(onExit: () => void): void {
  const parent = process.ppid
  setInterval(() => process.ppid !== parent && onExit(), parentCheckMs).unref()
}
