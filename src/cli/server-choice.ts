import { readSecret } from '../config/secret-files.ts'
import { CliError, exitCodes } from './exit-codes.ts'
import { chooseProfile } from './profiles.ts'

/** A server and the key for it. */
export type ChosenServer = { readonly url: string; readonly key: string }

type Choice = {
  readonly url?: string | undefined
  readonly key?: string | undefined
  readonly profile?: string | undefined
}

/** The server that the options, the environment or a profile name, with its key; null if none of them names one. */
export function chooseServer({ url: given, key: givenKey, profile: name }: Choice): ChosenServer | null {
  const named = given || process.env.COLOPHON_URL
  const profile = named ? null : chooseProfile(name)
  const url = named || profile?.url
  if (!url) return null
  const key = givenKey || readSecret(process.env, 'COLOPHON_API_KEY') || profile?.key
  if (!key)
    throw new CliError('An API key is required: use --key, COLOPHON_API_KEY or colophon login.', exitCodes.usage)
  if (!/^https?:/.test(url) || !URL.canParse(url))
    throw new CliError('--url must be a URL such as http://127.0.0.1:4242.', exitCodes.usage)
  const { origin, pathname } = new URL(url)
  return { url: origin + pathname, key }
}
