import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { after } from 'node:test'
import { fileURLToPath } from 'node:url'
import chromium, { inflate } from '@sparticuz/chromium'
import { type Browser, chromium as playwright } from 'playwright-core'

const packages = fileURLToPath(new URL('../../node_modules', import.meta.url))
const packFile = join(dirname(createRequire(import.meta.url).resolve('@sparticuz/chromium')), '..', 'package.json')
const { version } = JSON.parse(readFileSync(packFile, 'utf8')) as { version: string }
/** The number counts what this file adds to the unpacked package: a folder of an older form is left alone. */
const home = join(packages, '.cache', `colophon-chromium-${version}-2`)

/** Where the fonts of the package are unpacked, with the file that names them. */
export const fontFolder = join(home, 'fonts')

/**
 * The package's own file names folders outside of it, which a fresh machine lacks, and without any font the browser ends
 * itself. This one names the fonts of the package, relative to itself: the folder is renamed after it is unpacked.
 */
const fontConfiguration = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir prefix="relative">fonts</dir>
</fontconfig>
`

/** Unpacks the browser that came with npm. Suites start side by side: each unpacks for itself and the first one's is kept. */
export async function unpackBrowser(): Promise<void> {
  if (existsSync(home)) return
  mkdirSync(dirname(home), { recursive: true })
  const own = mkdtempSync(`${home}-`)
  const before = process.env.TMPDIR
  // The package unpacks into the folder for temporary files and nowhere else.
  process.env.TMPDIR = own
  try {
    await chromium.executablePath()
    await inflate(join(dirname(packFile), 'bin', 'al2023.tar.br'))
    writeFileSync(join(own, 'fonts', 'fonts.conf'), fontConfiguration)
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

/** They draw with an emulated graphics card, and load the program again for every tab. Without them a test takes a fifth less CPU. */
const wasteful = /^--(ignore-gpu-blocklist|use-gl|use-angle|enable-unsafe-swiftshader|no-zygote)/

let running: Promise<Browser> | undefined

/** One browser for the tests of a file; after a failed start or a crash the other tests of the file fail at once. */
export function openBrowser(): Promise<Browser> {
  running ??= launch()
  return running
}

async function launch(): Promise<Browser> {
  await unpackBrowser()
  const executablePath = process.env.COLOPHON_TEST_BROWSER ?? join(home, 'chromium')
  const libraries = libraryPath(executablePath)
  const env = { ...process.env, FONTCONFIG_PATH: fontFolder } as Record<string, string>
  delete env.FONTCONFIG_FILE
  if (libraries !== undefined) env.LD_LIBRARY_PATH = libraries
  try {
    return await playwright.launch({
      executablePath,
      env,
      args: ['--disable-gpu', ...chromium.args.filter((given) => !weakening.test(given) && !wasteful.test(given))],
    })
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    throw new Error(
      'The browser from npm does not start (see below). If a library of this system is missing, install it, ' +
        `or set COLOPHON_TEST_BROWSER to the program file of a Chromium that starts here.\n${message}`,
    )
  }
}

// A hook that throws keeps the hooks behind it from running, and the servers that those would stop keep the process alive.
after(async () => (await running?.catch(() => null))?.close())
