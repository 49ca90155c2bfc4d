import { randomBytes } from 'node:crypto'
import { existsSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { aesCipher } from '../adapters/cipher/aes.ts'
import type { VaultAccess } from '../app/redaction/open-vault.ts'
import type { Config } from '../config/settings.ts'
import { makeKeyFile, readKeyFile } from './key-file.ts'

/** The key that wraps the tenants' data keys: given by a variable, or kept in a file that only its owner can read. */
export function openVault(config: Config, otherKeys: readonly Uint8Array[]): VaultAccess {
  if (config.vaultKey !== null) return accessWith(Buffer.from(config.vaultKey, 'base64'), otherKeys)
  if (config.storage === 'memory') return accessWith(aesCipher.newKey(), otherKeys)
  const files = keyFiles(config)
  if (!existsSync(files.current)) makeKeyFile(files.current, randomBytes(32))
  // A rotation that was cut short left some data keys under the next key: both open.
  const next = existsSync(files.next) ? [readKeyFile(files.next)] : []
  return accessWith(readKeyFile(files.current), [...next, ...otherKeys])
}

/** The key that is there already; none is made. Null when there is none. */
export function findVault(config: Config): VaultAccess | null {
  const isThere = config.vaultKey !== null || existsSync(keyFiles(config).current)
  return isThere ? openVault(config, []) : null
}

/** The key to move to. In a file it is written before anything is wrapped with it, so that a crash loses nothing. */
export function prepareNextKey(config: Config, given: string | undefined): Uint8Array {
  if (given !== undefined) return Buffer.from(given, 'base64')
  const files = keyFiles(config)
  if (!existsSync(files.next)) makeKeyFile(files.next, randomBytes(32))
  return readKeyFile(files.next)
}

/** Everything is wrapped with the next key: it becomes the current one. */
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
