import { afterName, assignedValue, inThreeCases } from './assignment.ts'
import type { SecretRule } from './rule.ts'

const otherWords = [
  ...['kennwort', 'mot de passe', 'contraseña', 'contrasena', 'clave de acceso', 'senha', 'wachtwoord', 'lösenord'],
  ...['adgangskode', 'parola', 'şifre', 'heslo', 'hasło', 'jelszó', 'salasana', 'пароль', 'パスワード', '비밀번호'],
]
const shortWords = ['密码', '密碼', '口令']
const linkingWords = '[:：=]|是|为|為|は|이|ist|lautet|est|es|é|to|jest|is'

/** Secrets without a fixed format, matched by the name in front of them. `assignment.ts` has the patterns. */
export const genericRules: readonly SecretRule[] = [
  {
    id: 'password',
    description: 'Password after its name',
    example: ['DB_PASS', 'WORD=', 'Tr0ub4', 'dor&3'],
    anchors: inThreeCases('pass', 'pwd', 'pswd'),
    keep: afterName('(?:pass|pwd|pswd)'),
    pattern: assignedValue,
    check: 'assignedPassword',
    contextual: true,
  },
  {
    id: 'password-in-other-words',
    description: 'Password after its name in another language',
    example: ['Kenn', 'wort: ', 'Tr0ub4', 'dor&3'],
    anchors: [
      ...inThreeCases(...otherWords),
      ...shortWords.flatMap((word) => [...':：=是为為 '].map((end) => word + end)),
    ],
    keep: new RegExp(
      `(?:${[...otherWords, ...shortWords].join('|')})["']?[ \\t]{0,2}(?:${linkingWords})?[ \\t]{0,4}["'「]?`,
      'i',
    ),
    pattern: /[^\s"'`<>。、」]{4,127}[^\s"'`<>。、」.…,;)\]}]/,
    check: 'prosePassword',
    contextual: true,
  },
  {
    id: 'short-password-name',
    description: 'Password after a short name: pw, psk',
    example: ['pw: ', 'Tr0ub4', 'dor&3'],
    anchors: inThreeCases('pw:', 'pw=', 'pw ', 'psk'),
    keep: /(?<![A-Za-z0-9])(?:pw|psk)["']?[ \t]{0,2}(?:[:=]|is)[ \t]{0,4}["']?/i,
    pattern: /[^\s"'`<>]{4,127}[^\s"'`<>.…,;)\]}]/,
    check: 'prosePassword',
    contextual: true,
  },
  {
    id: 'secret',
    description: 'Secret after its name',
    example: ['"client_sec', 'ret": "', 'a1B2c3D4e5F6', 'g7"'],
    anchors: inThreeCases('secret', 'salt'),
    keep: afterName('(?:secret|salt)'),
    pattern: assignedValue,
    check: 'assignedSecret',
    contextual: true,
  },
  {
    id: 'token',
    description: 'Token after its name',
    example: ['access_to', 'ken: ', 'a1B2c3D4e5F6', 'g7H8'],
    anchors: inThreeCases('token'),
    keep: afterName('token'),
    pattern: assignedValue,
    check: 'assignedSecret',
    contextual: true,
  },
  {
    id: 'api-key',
    description: 'Key after its name',
    example: ['X-Api-', 'Key: ', 'a1B2c3D4e5F6', 'g7H8'],
    anchors: inThreeCases('key'),
    keep: afterName('key'),
    pattern: assignedValue,
    check: 'assignedSecret',
    contextual: true,
  },
  {
    id: 'auth',
    description: 'Value after the name auth',
    example: ['wss://stream.internal/?au', 'th=', 'a1B2c3D4e5F6', 'g7H8'],
    anchors: inThreeCases('auth'),
    keep: /(?<![A-Za-z0-9])auth(?:[_-]?(?:key|code|header))?["'\]]{0,2}[ \t]{0,2}[=:][ \t]{0,2}["']?/i,
    pattern: /[A-Za-z0-9_+/.~-]{16,}={0,2}/,
    check: 'assignedSecret',
    contextual: true,
  },
  {
    id: 'credentials',
    description: 'User and password side by side',
    example: ['credentials: ada / ', 'Tr0ub4', 'dor&3'],
    anchors: inThreeCases('cred', 'login', 'user'),
    keep: /(?:creds?|credentials?|logins?|user(?:name)?[ \t]?[/&+][ \t]?(?:pass(?:word)?|pw))(?: for [^\n:=]{1,40}?)?[ \t]{0,2}(?:(?:is|are):?|[:=])[ \t]{1,4}["'`]?[A-Za-z0-9_.@+-]{2,64}["'`]?[ \t]{0,2}[/:|][ \t]{0,2}["'`]?/i,
    pattern: /[^\s"'`<>]{5,127}[^\s"'`<>.…,;)\]}]/,
    check: 'prosePassword',
    contextual: true,
  },
  {
    id: 'authorization-header',
    description: 'Value of an authorization header',
    example: ['Authori', 'zation: Token ', 'a1B2c3D4e5F6', 'g7H8'],
    anchors: inThreeCases('authorization'),
    keep: /authorization["'`]?\]?[ \t]{0,2}[:=,][ \t]{0,4}\\?["'`]?(?:(?:bearer|token|apikey|api-key|key|splunk|ssws|geniekey|bot|oauth|client-id|deepl-auth-key|basic|private-token|jwt|ntlm|negotiate|zoho-oauthtoken|access_token)(?:[ \t]{1,4}|=)(?:token=)?["']?)?/i,
    pattern: /[A-Za-z0-9._~+/:-]{8,}={0,2}/,
    check: 'headerValue',
    contextual: true,
  },
  {
    id: 'seed-phrase',
    description: 'Recovery words of a wallet',
    example: ['seed phrase: "', 'legal winner thank year wave sausage ', 'worth useful legal winner thank yellow"'],
    anchors: inThreeCases('mnemonic', 'seed', 'recovery'),
    keep: /(?:mnemonic|seed|recovery)(?:[ _-](?:phrase|words?|key|code))?["']?(?: is| are)?[ \t]{0,2}[:=]?[ \t]{0,4}\\?["']?/i,
    pattern: /(?:[a-z]{3,8}[ ,]{1,2}){11,23}[a-z]{3,8}/,
    contextual: true,
  },
]
