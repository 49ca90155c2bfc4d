import { readFileSync, statSync } from 'node:fs'
import type { Environment } from './config.ts'
import { ConfigError } from './config-error.ts'
import { type Config, settings } from './settings.ts'

/** A secret is a key or an address. A larger file is not one. */
const secretFileBytesMax = 16_384

/** Secrets that other parts of the program read from the environment. */
const otherSecrets = ['COLOPHON_API_KEY'] as const

const secretVariables: readonly string[] = [
  ...Object.values(settings).flatMap(({ variable, secret }) => (secret ? [variable] : [])),
  ...otherSecrets,
]

/** For each secret variable, the variable that names a file with its value. */
export const secretFileVariables: readonly string[] = secretVariables.map(fileVariableOf)

type SecretName = (typeof otherSecrets)[number] | keyof Config

/**
 * The value of a secret: of its variable, or of the file that `…_FILE` names, without the newlines at its end. An error has the variable and the
 * path, never the contents.
 */
export function readSecret(env: Environment, name: SecretName): string | null {
  const variable = name in settings ? settings[name as keyof Config].variable : name
  const fileVariable = fileVariableOf(variable)
  const path = env[fileVariable]
  if (!path) return env[variable] || null
  if (env[variable]) throw new ConfigError(`${variable} and ${fileVariable} are both set: unset one of them.`)
  const text = readText(path, fileVariable).replace(/[\r\n]+$/, '')
  if (text === '') throw new ConfigError(`${fileVariable}: the file ${path} is empty.`)
  return text
}

function readText(path: string, variable: string): string {
  let bytes: Buffer
  try {
    bytes = readFileSync(path)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    throw new ConfigError(`${variable}: the file ${path} cannot be read (${code}). Check the path and its permissions.`)
  }
  if (bytes.length > secretFileBytesMax)
    throw new ConfigError(`${variable}: the file ${path} is larger than ${secretFileBytesMax} bytes.`)
  return bytes.toString('utf8')
}

/** The files of secrets that every user of the machine can read, each with its variable. */
export function openSecretFiles(env: Environment): { readonly variable: string; readonly path: string }[] {
  if (process.platform === 'win32') return []
  return secretFileVariables.flatMap((variable) => {
    const path = env[variable]
    const mode = path ? (statSync(path, { throwIfNoEntry: false })?.mode ?? 0) : 0
    return path && (mode & 0o004) !== 0 ? [{ variable, path }] : []
  })
}

function fileVariableOf(variable: string): string {
  return `${variable}_FILE`
}
