import type { Environment } from './config.ts'

/** The names that Kubernetes gives to the variables of a service, after the name of the service. */
const linkName = /^COLOPHON_(?:[A-Z0-9_]+_)?(?:SERVICE_HOST|SERVICE_PORT(?:_[A-Z0-9_]+)?)$/
const portName = /^COLOPHON_(?:[A-Z0-9_]+_)?PORT(?:_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?)?$/
const portValue = /^(?:tcp|udp|sctp):\/\//

/**
 * Kubernetes sets variables for every service of a namespace in every container. For a service `colophon` (or `colophon-database`) their names
 * begin with `COLOPHON_`, and one of them is `COLOPHON_PORT=tcp://10.0.0.7:4242`. They are not settings.
 */
export function isServiceLink(name: string, value = ''): boolean {
  if (linkName.test(name)) return true
  // The plain name is a setting unless its value is an address; the longer ones are never settings.
  return portName.test(name) && (portValue.test(value) || name.includes('_PORT_'))
}

/** The environment without the variables of services. */
export function withoutServiceLinks(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([name, value]) => !isServiceLink(name, value)))
}
