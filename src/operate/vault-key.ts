import { randomBytes } from 'node:crypto'
import { existsSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { aesCipher } from '../adapters/cipher/aes.ts'
import type { VaultAccess } from '../app/redaction/vault-access.ts'
import type { Config } from '../config/settings.ts'
import { makeKeyFile, readKeyFile } from './key-file.ts'

/** Opens the master key that wraps the data keys: from a variable, or from a file that only its owner can read. */
export function openVault(config: Config, otherKeys: readonly Uint8Array[]): VaultAccess {
  if (config.vaultKey !== null) return accessWith(Buffer.from(config.vaultKey, 'base64'), otherKeys)
  if (config.storage === 'memory') return accessWith(aesCipher.newKey(), otherKeys)
  const files = keyFiles(config)
  if (!existsSync(files.current)) makeKeyFile(files.current, randomBytes(32))
  // After an interrupted rotation some data keys are wrapped with the next key, so both are used.
  const next = existsSync(files.next) ? [readKeyFile(files.next)] : []
  return accessWith(readKeyFile(files.current), [...next, ...otherKeys])
}

/** The existing master key; null when there is none. Creates no key. */
export function findVault(config: Config): VaultAccess | null {
  const hasKey = config.vaultKey !== null || existsSync(keyFiles(config).current)
  return hasKey ? openVault(config, []) : null
}

/** The next master key of a rotation. Its file is written before any data key is wrapped with it, so that a crash loses nothing. */
export function prepareNextKey(config: Config, given: string | undefined): Uint8Array {
  if (given !== undefined) return Buffer.from(given, 'base64')
  const files = keyFiles(config)
  if (!existsSync(files.next)) makeKeyFile(files.next, randomBytes(32))
  return readKeyFile(files.next)
}

/** Ends a rotation, after all data keys are wrapped with the next key: it becomes the current one. */
export function finishRotation(config: Config): void {
  const files = keyFiles(config)
  if (existsSync(files.next)) renameSync(files.next, files.current)
}

function accessWith(masterKey: Uint8Array, otherKeys: readonly Uint8Array[]): VaultAccess {
  return { cipher: aesCipher, masterKey, otherKeys }
}

function keyFiles({ dataDir }: Config) {
  return { current: join(dataDir, 'vault.key'), next: join(dataDir, 'vault.key.next') }
}
