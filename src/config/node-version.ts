/** On older versions the SQLite driver crashes the process without a message. */
const nodeVersionMin = [22, 15] as const

/** Throws an error that names the needed Node version, if this one is older. */
export function checkNodeVersion(version: string = process.versions.node): void {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major > nodeVersionMin[0] || (major === nodeVersionMin[0] && minor >= nodeVersionMin[1])) return
  throw new Error(
    `Colophon needs Node ${nodeVersionMin.join('.')} or newer; this is Node ${version}. Install a newer Node and start again.`,
  )
}
