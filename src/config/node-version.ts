/** The database driver of this package ends the process without a word on older versions; this says why instead. */
const nodeVersionMin = [22, 15] as const

export function checkNodeVersion(version: string = process.versions.node): void {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major > nodeVersionMin[0] || (major === nodeVersionMin[0] && minor >= nodeVersionMin[1])) return
  throw new Error(
    `Colophon needs Node ${nodeVersionMin.join('.')} or newer; this is Node ${version}. Install a newer Node and start again.`,
  )
}
