import type { SecretRule } from './rule.ts'

/** Passwords in command lines. Only known commands are matched, because `-p` is usually a port or a path. */
export const commandRules: readonly SecretRule[] = [
  {
    id: 'command-line-password',
    description: 'Password given to a command',
    example: ['mysql -u root -p', 'Tr0ub4', 'dor'],
    anchors: [' -p', ' -P ', ' -a ', ' -w ', ' -k ', 'pass:', ' /p:', ' -U '],
    keep: /(?<=(?:mysql|mysqldump|mysqladmin|mariadb|sshpass|docker login|podman login|helm registry login|redis-cli|openssl|az login|smbclient|sqlcmd|bcp|mongo|mongosh|mongodump|unzip|7z|zip|htpasswd|net use|ldapsearch|ldapmodify|kinit|keytool|xfreerdp|mstsc)[^\n|;&]{0,160})(?: -p ?| -P | -a | -w | -k |pass:| \/p:| -U [A-Za-z0-9_.\\-]{1,40}%)["']?/,
    pattern: /[^\s"'`|;<>]{4,127}[^\s"'`|;<>…,)\]}]/,
    check: 'typedPassword',
    contextual: true,
  },
  {
    id: 'command-line-login',
    description: 'User and password given to curl, wget or httpie',
    example: ['curl -u ada:', 'Tr0ub4', 'dor https://api.internal'],
    anchors: [' -u', ' --user', ' --proxy-user', ' -U', ' -a '],
    keep: /(?<=(?:curl|wget|https?|httpie|xh|lftp|ftp|smbclient)[^\n]{0,200}|\\\s{1,8})[ \t](?:-u|-U|-a|--user|--proxy-user)[ =]?["']?[^\s:"'$]{1,80}:/,
    pattern: /[^\s"'`|;<>]{3,199}[^\s"'`|;<>…,)\]}]/,
    check: 'typedPassword',
    contextual: true,
  },
  {
    id: 'device-password',
    description: 'Password in the configuration of a network device',
    example: ['enable sec', 'ret 5 ', '$1$mERr$', 'hx5rVt7rPNoS4'],
    anchors: ['secret ', 'password ', 'key '],
    keep: /(?:secret|password|key) [05789] /,
    pattern: /(?:\$\d{1,2}\$)?[A-Za-z0-9./$]{8,128}/,
    check: 'typedPassword',
    contextual: true,
  },
  {
    id: 'set-password',
    description: 'Password in a statement or command that sets it',
    example: ['CREATE USER ada IDENTI', "FIED BY '", 'Tr0ub4', "dor'"],
    anchors: ['IDENTIFIED ', 'identified ', 'Identified ', 'requirepass ', 'ConvertTo-SecureString ', 'net user '],
    keep: /(?:identified (?:with [a-z_0-9]{1,40} )?by (?:password )?|requirepass |ConvertTo-SecureString (?:-String )?)["']?|net user [A-Za-z0-9_.-]{1,40} /i,
    pattern: /[^\s"'`<>]{3,127}[^\s"'`<>,;)\]}]/,
    check: 'typedPassword',
    contextual: true,
  },
]
