import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { after } from 'node:test'
import { fileURLToPath } from 'node:url'
import chromium, { inflate } from '@sparticuz/chromium'
import { type Browser, chromium as playwright } from 'playwright-core'

const packages = fileURLToPath(new URL('../../node_modules', import.meta.url))
const packFile = join(dirname(createRequire(import.meta.url).resolve('@sparticuz/chromium')), '..', 'package.json')
const { version } = JSON.parse(readFileSync(packFile, 'utf8')) as { version: string }
const home = join(packages, '.cache', `colophon-chromium-${version}`)

/** Unpacks the browser that came with npm. Suites start side by side: each unpacks for itself and the first one's is kept. */
async function unpack(): Promise<void> {
  if (existsSync(home)) return
  mkdirSync(dirname(home), { recursive: true })
  const own = mkdtempSync(`${home}-`)
  const before = process.env.TMPDIR
  process.env.TMPDIR = own
  try {
    await chromium.executablePath()
    await inflate(join(dirname(packFile), 'bin', 'al2023.tar.br'))
    renameSync(own, home)
  } catch (error) {
    rmSync(own, { recursive: true, force: true })
    if (!existsSync(home)) throw error
  } finally {
    if (before === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = before
  }
}

/** A bare machine lacks some of the browser's libraries; those that came with it stand in, and only then. */
function libraryPath(executable: string): string | undefined {
  const found = spawnSync('ldd', [executable], { encoding: 'utf8' })
  return found.error || /not found/.test(found.stdout) ? join(home, 'al2023', 'lib') : process.env.LD_LIBRARY_PATH
}

// The suites test the page's own policy, so nothing that weakens the browser's is switched on.
const weakening =
  /^--(single-process|disable-web-security|allow-running-insecure-content|disable-site-isolation-trials|headless)/

let running: Promise<Browser> | undefined

/** One browser for the tests of a file. */
export function openBrowser(): Promise<Browser> {
  running ??= launch()
  return running
}

async function launch(): Promise<Browser> {
  await unpack()
  const executablePath = join(home, 'chromium')
  const libraries = libraryPath(executablePath)
  const env = { ...process.env, FONTCONFIG_PATH: join(home, 'fonts') } as Record<string, string>
  if (libraries !== undefined) env.LD_LIBRARY_PATH = libraries
  try {
    return await playwright.launch({
      executablePath,
      env,
      args: chromium.args.filter((argument) => !weakening.test(argument)),
    })
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    throw new Error(`The browser from npm does not start; it lacks a library of this system (see below).\n${message}`)
  }
}

after(async () => (await running)?.close())
