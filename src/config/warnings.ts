import { type Environment, isLoopback } from './config.ts'
import { openSecretFiles } from './secret-files.ts'
import { isServiceLink } from './service-links.ts'
import type { Config } from './settings.ts'

/** What is allowed but probably not wanted. A server logs each once, when it starts. */
export function configWarnings(env: Environment, config: Config): string[] {
  return [
    ...linkWarning(env),
    ...tlsWarning(config),
    ...fileWarnings(env),
    ...clockWarning(config),
    ...seamWarning(config),
  ]
}

function linkWarning(env: Environment): string[] {
  const links = Object.keys(env).filter((name) => isServiceLink(name, env[name]))
  if (links.length === 0) return []
  return [
    `Ignored: ${links.join(', ')}. Kubernetes sets them for a service whose name begins with colophon. Set enableServiceLinks: false in the pod to be rid of them.`,
  ]
}

function tlsWarning({ host, tlsInFront }: Config): string[] {
  if (isLoopback(host) || tlsInFront) return []
  return [
    `Listening on ${host} with plain HTTP: keys and memories can be read on the network. Put a proxy with TLS in front and set COLOPHON_TLS_IN_FRONT=1, or listen on 127.0.0.1.`,
  ]
}

function fileWarnings(env: Environment): string[] {
  return openSecretFiles(env).map(
    ({ variable, path }) => `${variable}: every user of this machine can read ${path}. Run: chmod o= ${path}`,
  )
}

function clockWarning({ clockTrusted }: Config): string[] {
  if (!clockTrusted) return []
  return [
    'COLOPHON_CLOCK_TRUSTED is on: a clock that is set back makes what has expired valid again, and one that is ahead is believed. Unset it once the records and the clock agree.',
  ]
}

function seamWarning({ testSeams }: Config): string[] {
  return testSeams ? ['COLOPHON_TEST_SEAMS is on: it is for conformance tests only, never for production.'] : []
}
