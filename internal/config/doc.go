// Package config holds an operator's settings, from flags, the environment
// (CONCLAVE_ and the flag's name in capitals), or a JSON file. Flags win over
// the environment, the environment over the file. The variables are not in the
// tags: the command line gives one to each flag.
//
// Check refuses settings that cannot work before anything is opened, in a
// sentence that names the setting.
package config
