/** Distinguishes generated strings from natural language, without a dictionary. */

/** Shannon entropy in bits per character. */
export function entropyOf(text: string): number {
  const counts = new Map<string, number>()
  for (const char of text) counts.set(char, (counts.get(char) ?? 0) + 1)
  const length = [...text].length
  let bits = 0
  for (const count of counts.values()) bits -= (count / length) * Math.log2(count / length)
  return bits
}

/** Whether letters look like pronounceable words: words, Words, WORDS or camelCase. */
export function isWordLike(letters: string): boolean {
  const parts = letters.split(/(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/)
  if (letters.length / parts.length < 3 && letters.length > 5) return false
  return parts.every((part) => {
    const lower = part.toLowerCase()
    const vowels = lower.replace(/[^aeiouyäöüéèáóíúà]/g, '').length
    if (lower.length <= 4) return true
    return (
      vowels / lower.length >= 0.16 &&
      !/[bcdfghjklmnpqrstvwxz]{6}|([a-z])\1\1/.test(lower) &&
      !/[jqxz]{2}|q(?!u)/.test(lower)
    )
  })
}

/** Whether a text is words, small numbers and version numbers joined by punctuation: "prod-db-2024", "step-2", "oauth2". */
export function isWordsAndNumbers(text: string): boolean {
  return text
    .split(/[-_.:/+ ]+/)
    .every(
      (part) => /^v?\d{0,4}$/.test(part) || (/^[A-Za-z]+\d{0,2}$/.test(part) && isWordLike(part.replace(/\d+$/, ''))),
    )
}

const technicalTerms =
  /(?<![a-z0-9])(?:base(?:16|32|58|64)(?:url)?|sha-?(?:1|2|3|224|256|384|512)|md5|rsa-?\d*|aes-?\d*|[rhep]s(?:256|384|512)|ed25519|x25519|curve25519|secp256[kr]1|p-?(?:256|384|521)|utf-?(?:8|16)|oauth-?[12](?:\.0)?|saml2?|http[123]|ipv[46]|i18n|k8s|ec2|x509|pkcs-?\d*|argon2(?:id|i|d)?|pbkdf2|2fa|u2f|fido2|v\d+(?:\.\d+)*|gpt-?\d[\w.-]{0,12}|aws4|web3|log4j|neo4j|auth0|o365|s3)(?![a-z0-9])/gi

/** Whether a text is a technical term and not a secret: "base64-encoded", "SHA256", "v2". */
export function isTechnicalTerm(text: string): boolean {
  if (text.length > 40) return false
  const rest = text.replace(technicalTerms, '')
  return rest.length < text.length && !/[\d!@#$%^&*+=?~|]/.test(rest) && isWordLike(rest.replace(/[^A-Za-z]/g, ''))
}
