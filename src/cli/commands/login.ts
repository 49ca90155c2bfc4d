import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import type { Command } from 'commander'
import type { GlobalOptions } from '../action.ts'
import { withClient } from '../connection.ts'
import { CliError, exitCodes } from '../exit-codes.ts'
import { createOutput, table } from '../output.ts'
import { defaultProfile, profileFile, readProfiles, writeProfiles } from '../profiles.ts'
import { reportFailure } from '../report-failure.ts'
import { readInput } from '../text-input.ts'

/** login, logout, profiles: the servers and keys that this user has stored. */
export function addLoginCommands(program: Command): void {
  program
    .command('login')
    .description(
      'store the URL and the key of a server, so that later commands use them; the key is read from standard input',
    )
    .action((_options, command: Command) => reportFailure(() => login(command.optsWithGlobals<GlobalOptions>())))
  program
    .command('logout')
    .description('delete a stored URL and key; the key itself stays valid')
    .action((_options, command: Command) => reportFailure(() => logout(command.optsWithGlobals<GlobalOptions>())))
  program
    .command('profiles')
    .description('list the stored servers, without their keys')
    .action((_options, command: Command) => reportFailure(() => list(command.optsWithGlobals<GlobalOptions>())))
}

async function login({ profile = defaultProfile, url, key, json = false }: GlobalOptions): Promise<void> {
  if (!url) throw new CliError('Name the server: colophon login --url http://127.0.0.1:4242', exitCodes.usage)
  if (!/^[A-Za-z0-9._-]{1,64}$/.test(profile))
    throw new CliError('--profile must be 1 to 64 letters, digits, dots, underscores and hyphens.', exitCodes.usage)
  const given = (key || (await readKey())).trim()
  // A wrong key is refused now, not by the next command. A valid one may lack the scope of this request.
  await withClient({ url, key: given }, (client) => client.stats()).catch((error: unknown) => {
    if (!(error instanceof CliError && error.message.startsWith('forbidden'))) throw error
  })
  writeProfiles({ ...readProfiles(), [profile]: { url, key: given } })
  const stored = { profile, url, file: profileFile() }
  createOutput(json).show(stored, () => `stored as profile ${profile} in ${stored.file}`)
}

async function logout({ profile = defaultProfile, json = false }: GlobalOptions): Promise<void> {
  const { [profile]: removed, ...rest } = readProfiles()
  if (removed === undefined) throw new CliError(`There is no profile ${profile}.`, exitCodes.notFound)
  writeProfiles(rest)
  createOutput(json).show({ profile, removed: true }, () => `removed profile ${profile}; its key is still valid`)
}

async function list({ json = false }: GlobalOptions): Promise<void> {
  const profiles = Object.entries(readProfiles()).map(([profile, { url }]) => ({ profile, url }))
  createOutput(json).show({ profiles }, () =>
    table(
      ['profile', 'url'],
      profiles.map(({ profile, url }) => [profile, url]),
    ),
  )
}

/** From a pipe, or typed at a terminal without being shown. */
async function readKey(): Promise<string> {
  if (!process.stdin.isTTY) return readInput('key')
  process.stderr.write('API key: ')
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const prompt = createInterface({ input: process.stdin, output: silent, terminal: true })
  const key = await prompt.question('')
  prompt.close()
  process.stderr.write('\n')
  return key
}
