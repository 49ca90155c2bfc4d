import { useSyncExternalStore } from 'react'
import { createClient, isClientError } from '../../../src/client/index.ts'

/**
 * The session is a cookie that scripts cannot read: the key itself is not kept. All tabs of the browser share it, so a tab notifies the others
 * when it changes.
 */
const browser = createClient({ url: '', retry: { retries: 0 } })
const otherTabs = new BroadcastChannel('colophon.session')
const listeners = new Set<() => void>()
let notice: string | null = null
/** Grows with every log-in: a new number is another session, with nothing of the one before. */
let count = 0
/** The number of the session; null without one, undefined until the server has answered. */
let session: number | null | undefined
let isReplacing = false

otherTabs.addEventListener('message', () => {
  set(undefined)
  void checkSession()
})

/** Asks the server whether this browser has a session. */
export async function checkSession(): Promise<void> {
  try {
    await browser.session()
    begin()
  } catch (error) {
    const hasNone = isClientError(error, 'unauthenticated')
    sessionEnded(hasNone ? notice : (keyProblem(error) ?? describe(error)))
  }
}

/** Opens a session with a key. It fails when the key is not valid. */
export async function logIn(key: string): Promise<void> {
  await createClient({ url: '', key, retry: { retries: 0 } }).openSession()
  begin()
  otherTabs.postMessage('changed')
}

/** Ends the session on the server, in all tabs. */
export async function logOut(): Promise<void> {
  const problem = await browser.endSession().then(
    () => null,
    (error: unknown) => (isClientError(error) && error.status === 401 ? null : error),
  )
  // The cookie is still there: a reload is logged in.
  const stillOpen = 'This browser is still logged in. Reload this page once the server answers, and log out again.'
  sessionEnded(problem === null ? null : `${describe(problem)} ${stillOpen}`)
  otherTabs.postMessage('changed')
}

/** The session is not valid any more; `because` is shown above the form. */
function sessionEnded(because: string | null): void {
  if (isReplacing) return
  notice = because
  set(null)
}

let isChecking = false

/**
 * A request was refused with 401. It can be one that had another key, such as one that was typed into a form, so the server is asked whether the
 * session has ended. Many requests that are refused at once ask once.
 */
export function sessionRefused(): void {
  if (isReplacing || isChecking) return
  isChecking = true
  void endIfInvalid().finally(() => {
    isChecking = false
  })
}

async function endIfInvalid(): Promise<void> {
  try {
    await browser.session()
  } catch (error) {
    if (!isClientError(error) || error.status !== 401) return
    sessionEnded(keyProblem(error) ?? 'Your session has ended: log in again.')
  }
}

/**
 * Replaces the key of this session: `rotate` ends the old key, and with it the session, and returns the new one. Requests that are refused in
 * between do not log out.
 */
export async function replaceKey<T extends { readonly key?: string | undefined }>(
  rotate: () => Promise<T>,
): Promise<T> {
  isReplacing = true
  try {
    const made = await rotate()
    if (made.key !== undefined) await createClient({ url: '', key: made.key }).openSession()
    return made
  } finally {
    isReplacing = false
  }
}

export function logOutNotice(): string | null {
  return notice
}

function begin(): void {
  notice = null
  count += 1
  set(count)
}

function set(next: number | null | undefined): void {
  session = next
  for (const listener of listeners) listener()
}

/** What is wrong with a key that the server knows. */
export function keyProblem(error: unknown): string | null {
  const isEnded = isClientError(error, 'key_revoked') || isClientError(error, 'key_expired')
  return isEnded ? `${error.message} Log in with another key.` : null
}

export function describe(error: unknown): string {
  return error instanceof Error ? error.message : 'The server cannot be reached.'
}

export function useSession(): number | null | undefined {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => session,
  )
}
