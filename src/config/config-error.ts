/** An unknown variable, or a variable with an invalid value. The message has its name. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}
