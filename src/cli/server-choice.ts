import { readSecret } from '../config/secret-files.ts'
import { CliError, exitCodes } from './exit-codes.ts'
import { chooseProfile, profileFor } from './profiles.ts'

/** A server and the key for it. */
export type ChosenServer = { readonly url: string; readonly key: string }

type Choice = {
  readonly url?: string | undefined
  readonly key?: string | undefined
  readonly profile?: string | undefined
}

/** The server that the options, the environment or a profile name, with its key; null if none of them names one. */
export function chooseServer(choice: Choice): ChosenServer | null {
  const server = findServer(choice)
  if (server === null || server.key !== null) return server as ChosenServer | null
  const message = `An API key is required: use --key, COLOPHON_API_KEY or colophon login --url ${server.url}.`
  throw new CliError(`${message}${server.hint}`, exitCodes.usage)
}

/** The same server. Its key is null if there is none; `hint` then says for which servers there is one. */
export function findServer(
  choice: Choice,
): { readonly url: string; readonly key: string | null; readonly hint: string } | null {
  const named = choice.url || process.env.COLOPHON_URL
  const given = choice.key || readSecret(process.env, 'COLOPHON_API_KEY')
  if (!named) {
    const profile = chooseProfile(choice.profile)
    return profile && { url: toServerUrl(profile.url), key: given || profile.key, hint: '' }
  }
  const url = toServerUrl(named)
  const stored = given ? null : profileFor(url, choice.profile)
  return { url, key: given || stored?.key || null, hint: stored?.hint ?? '' }
}

function toServerUrl(url: string): string {
  if (!/^https?:/i.test(url) || !URL.canParse(url))
    throw new CliError('--url must be a URL such as http://127.0.0.1:4242.', exitCodes.usage)
  const { origin, pathname } = new URL(url)
  return origin + pathname
}
