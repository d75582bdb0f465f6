package calendar

// windowsZone returns the Windows name of a zone, or the zone's own name when it has
// none. Microsoft's calendars accept all Windows names, but IANA names only for some
// zones. The table comes from the Unicode CLDR (supplemental/windowsZones.xml), with
// the other names that the time zone database has for each zone.
func windowsZone(zone string) string {
	switch zone {
	case "Australia/Darwin", "Australia/North":
		return "AUS Central Standard Time"
	case "Australia/ACT", "Australia/Canberra", "Australia/Melbourne", "Australia/NSW", "Australia/Sydney", "Australia/Victoria":
		return "AUS Eastern Standard Time"
	case "Asia/Kabul":
		return "Afghanistan Standard Time"
	case "America/Anchorage", "America/Juneau", "America/Metlakatla", "America/Nome", "America/Sitka", "America/Yakutat", "US/Alaska":
		return "Alaskan Standard Time"
	case "America/Adak", "America/Atka", "US/Aleutian":
		return "Aleutian Standard Time"
	case "Asia/Barnaul":
		return "Altai Standard Time"
	case "Asia/Aden", "Asia/Bahrain", "Asia/Kuwait", "Asia/Qatar", "Asia/Riyadh":
		return "Arab Standard Time"
	case "Asia/Dubai", "Asia/Muscat", "Etc/GMT-4":
		return "Arabian Standard Time"
	case "Asia/Baghdad":
		return "Arabic Standard Time"
	case "America/Argentina/Buenos_Aires", "America/Argentina/Catamarca", "America/Argentina/ComodRivadavia", "America/Argentina/Cordoba",
		"America/Argentina/Jujuy", "America/Argentina/La_Rioja", "America/Argentina/Mendoza", "America/Argentina/Rio_Gallegos", "America/Argentina/Salta",
		"America/Argentina/San_Juan", "America/Argentina/San_Luis", "America/Argentina/Tucuman", "America/Argentina/Ushuaia", "America/Buenos_Aires",
		"America/Catamarca", "America/Cordoba", "America/Jujuy", "America/Mendoza", "America/Rosario":
		return "Argentina Standard Time"
	case "Europe/Astrakhan", "Europe/Ulyanovsk":
		return "Astrakhan Standard Time"
	case "America/Glace_Bay", "America/Goose_Bay", "America/Halifax", "America/Moncton", "America/Thule", "Atlantic/Bermuda", "Canada/Atlantic":
		return "Atlantic Standard Time"
	case "Australia/Eucla":
		return "Aus Central W. Standard Time"
	case "Asia/Baku":
		return "Azerbaijan Standard Time"
	case "America/Scoresbysund", "Atlantic/Azores":
		return "Azores Standard Time"
	case "America/Bahia":
		return "Bahia Standard Time"
	case "Asia/Dacca", "Asia/Dhaka", "Asia/Thimbu", "Asia/Thimphu":
		return "Bangladesh Standard Time"
	case "Europe/Minsk":
		return "Belarus Standard Time"
	case "Pacific/Bougainville":
		return "Bougainville Standard Time"
	case "America/Regina", "America/Swift_Current", "Canada/Saskatchewan":
		return "Canada Central Standard Time"
	case "Atlantic/Cape_Verde", "Etc/GMT+1":
		return "Cape Verde Standard Time"
	case "Asia/Yerevan":
		return "Caucasus Standard Time"
	case "Australia/Adelaide", "Australia/Broken_Hill", "Australia/South", "Australia/Yancowinna":
		return "Cen. Australia Standard Time"
	case "America/Belize", "America/Costa_Rica", "America/El_Salvador", "America/Guatemala", "America/Managua", "America/Tegucigalpa", "Etc/GMT+6",
		"Pacific/Galapagos":
		return "Central America Standard Time"
	case "Antarctica/Vostok", "Asia/Almaty", "Asia/Bishkek", "Asia/Kashgar", "Asia/Qostanay", "Asia/Urumqi", "Etc/GMT-6", "Indian/Chagos":
		return "Central Asia Standard Time"
	case "America/Campo_Grande", "America/Cuiaba":
		return "Central Brazilian Standard Time"
	case "Europe/Belgrade", "Europe/Bratislava", "Europe/Budapest", "Europe/Ljubljana", "Europe/Podgorica", "Europe/Prague", "Europe/Tirane":
		return "Central Europe Standard Time"
	case "Europe/Sarajevo", "Europe/Skopje", "Europe/Warsaw", "Europe/Zagreb", "Poland":
		return "Central European Standard Time"
	case "Antarctica/Casey", "Etc/GMT-11", "Pacific/Efate", "Pacific/Guadalcanal", "Pacific/Kosrae", "Pacific/Noumea", "Pacific/Ponape", "Pacific/Pohnpei":
		return "Central Pacific Standard Time"
	case "America/Chicago", "America/Indiana/Knox", "America/Indiana/Tell_City", "America/Knox_IN", "America/Matamoros", "America/Menominee",
		"America/North_Dakota/Beulah", "America/North_Dakota/Center", "America/North_Dakota/New_Salem", "America/Rainy_River", "America/Rankin_Inlet",
		"America/Resolute", "America/Winnipeg", "CST6CDT", "Canada/Central", "US/Central", "US/Indiana-Starke":
		return "Central Standard Time"
	case "America/Bahia_Banderas", "America/Merida", "America/Mexico_City", "America/Monterrey", "Mexico/General":
		return "Central Standard Time (Mexico)"
	case "NZ-CHAT", "Pacific/Chatham":
		return "Chatham Islands Standard Time"
	case "Asia/Chongqing", "Asia/Chungking", "Asia/Harbin", "Asia/Hong_Kong", "Asia/Macao", "Asia/Macau", "Asia/Shanghai", "Hongkong", "PRC":
		return "China Standard Time"
	case "America/Havana", "Cuba":
		return "Cuba Standard Time"
	case "Etc/GMT+12":
		return "Dateline Standard Time"
	case "Africa/Addis_Ababa", "Africa/Asmera", "Africa/Dar_es_Salaam", "Africa/Djibouti", "Africa/Kampala", "Africa/Mogadishu", "Africa/Nairobi",
		"Antarctica/Syowa", "Etc/GMT-3", "Indian/Antananarivo", "Indian/Comoro", "Indian/Mayotte", "Africa/Asmara":
		return "E. Africa Standard Time"
	case "Australia/Brisbane", "Australia/Lindeman", "Australia/Queensland":
		return "E. Australia Standard Time"
	case "Europe/Chisinau", "Europe/Tiraspol":
		return "E. Europe Standard Time"
	case "America/Sao_Paulo", "Brazil/East":
		return "E. South America Standard Time"
	case "Chile/EasterIsland", "Pacific/Easter":
		return "Easter Island Standard Time"
	case "America/Detroit", "America/Indiana/Petersburg", "America/Indiana/Vincennes", "America/Indiana/Winamac", "America/Iqaluit",
		"America/Kentucky/Louisville", "America/Kentucky/Monticello", "America/Louisville", "America/Montreal", "America/Nassau", "America/New_York",
		"America/Nipigon", "America/Pangnirtung", "America/Thunder_Bay", "America/Toronto", "Canada/Eastern", "EST5EDT", "US/Eastern", "US/Michigan":
		return "Eastern Standard Time"
	case "America/Cancun":
		return "Eastern Standard Time (Mexico)"
	case "Africa/Cairo", "Egypt":
		return "Egypt Standard Time"
	case "Asia/Yekaterinburg":
		return "Ekaterinburg Standard Time"
	case "Europe/Helsinki", "Europe/Kiev", "Europe/Kyiv", "Europe/Mariehamn", "Europe/Riga", "Europe/Sofia", "Europe/Tallinn", "Europe/Uzhgorod",
		"Europe/Vilnius", "Europe/Zaporozhye":
		return "FLE Standard Time"
	case "Pacific/Fiji":
		return "Fiji Standard Time"
	case "Atlantic/Canary", "Atlantic/Faeroe", "Atlantic/Faroe", "Atlantic/Madeira", "Eire", "Europe/Belfast", "Europe/Dublin", "Europe/Guernsey",
		"Europe/Isle_of_Man", "Europe/Jersey", "Europe/Lisbon", "Europe/London", "GB", "GB-Eire", "Portugal":
		return "GMT Standard Time"
	case "Asia/Famagusta", "Asia/Nicosia", "Europe/Athens", "Europe/Bucharest", "Europe/Nicosia":
		return "GTB Standard Time"
	case "Asia/Tbilisi":
		return "Georgian Standard Time"
	case "America/Godthab", "America/Nuuk":
		return "Greenland Standard Time"
	case "Africa/Abidjan", "Africa/Accra", "Africa/Bamako", "Africa/Banjul", "Africa/Bissau", "Africa/Conakry", "Africa/Dakar", "Africa/Freetown",
		"Africa/Lome", "Africa/Monrovia", "Africa/Nouakchott", "Africa/Ouagadougou", "Africa/Timbuktu", "America/Danmarkshavn", "Atlantic/Reykjavik",
		"Atlantic/St_Helena", "Iceland":
		return "Greenwich Standard Time"
	case "America/Port-au-Prince":
		return "Haiti Standard Time"
	case "Etc/GMT+10", "Pacific/Honolulu", "Pacific/Johnston", "Pacific/Rarotonga", "Pacific/Tahiti", "US/Hawaii":
		return "Hawaiian Standard Time"
	case "Asia/Calcutta", "Asia/Kolkata":
		return "India Standard Time"
	case "Asia/Tehran", "Iran":
		return "Iran Standard Time"
	case "Asia/Jerusalem", "Asia/Tel_Aviv", "Israel":
		return "Israel Standard Time"
	case "Asia/Amman":
		return "Jordan Standard Time"
	case "Europe/Kaliningrad":
		return "Kaliningrad Standard Time"
	case "Asia/Seoul", "ROK":
		return "Korea Standard Time"
	case "Africa/Tripoli", "Libya":
		return "Libya Standard Time"
	case "Etc/GMT-14", "Pacific/Kiritimati":
		return "Line Islands Standard Time"
	case "Australia/LHI", "Australia/Lord_Howe":
		return "Lord Howe Standard Time"
	case "Asia/Magadan":
		return "Magadan Standard Time"
	case "America/Punta_Arenas":
		return "Magallanes Standard Time"
	case "Pacific/Marquesas":
		return "Marquesas Standard Time"
	case "Indian/Mahe", "Indian/Mauritius", "Indian/Reunion":
		return "Mauritius Standard Time"
	case "Asia/Beirut":
		return "Middle East Standard Time"
	case "America/Montevideo":
		return "Montevideo Standard Time"
	case "Africa/Casablanca", "Africa/El_Aaiun":
		return "Morocco Standard Time"
	case "America/Boise", "America/Cambridge_Bay", "America/Denver", "America/Edmonton", "America/Inuvik", "America/Ojinaga", "America/Shiprock",
		"America/Yellowknife", "Canada/Mountain", "MST7MDT", "Navajo", "US/Mountain", "America/Ciudad_Juarez":
		return "Mountain Standard Time"
	case "America/Chihuahua", "America/Mazatlan", "Mexico/BajaSur":
		return "Mountain Standard Time (Mexico)"
	case "Asia/Rangoon", "Asia/Yangon", "Indian/Cocos":
		return "Myanmar Standard Time"
	case "Asia/Novosibirsk":
		return "N. Central Asia Standard Time"
	case "Africa/Windhoek":
		return "Namibia Standard Time"
	case "Asia/Kathmandu", "Asia/Katmandu":
		return "Nepal Standard Time"
	case "Antarctica/McMurdo", "Antarctica/South_Pole", "NZ", "Pacific/Auckland":
		return "New Zealand Standard Time"
	case "America/St_Johns", "Canada/Newfoundland":
		return "Newfoundland Standard Time"
	case "Pacific/Norfolk":
		return "Norfolk Standard Time"
	case "Asia/Irkutsk":
		return "North Asia East Standard Time"
	case "Asia/Krasnoyarsk", "Asia/Novokuznetsk":
		return "North Asia Standard Time"
	case "Asia/Pyongyang":
		return "North Korea Standard Time"
	case "Asia/Omsk":
		return "Omsk Standard Time"
	case "America/Santiago", "Chile/Continental":
		return "Pacific SA Standard Time"
	case "America/Los_Angeles", "America/Vancouver", "Canada/Pacific", "PST8PDT", "US/Pacific":
		return "Pacific Standard Time"
	case "America/Ensenada", "America/Santa_Isabel", "America/Tijuana", "Mexico/BajaNorte":
		return "Pacific Standard Time (Mexico)"
	case "Asia/Karachi":
		return "Pakistan Standard Time"
	case "America/Asuncion":
		return "Paraguay Standard Time"
	case "Asia/Qyzylorda":
		return "Qyzylorda Standard Time"
	case "Africa/Ceuta", "Europe/Brussels", "Europe/Copenhagen", "Europe/Madrid", "Europe/Paris":
		return "Romance Standard Time"
	case "Asia/Srednekolymsk":
		return "Russia Time Zone 10"
	case "Asia/Anadyr", "Asia/Kamchatka":
		return "Russia Time Zone 11"
	case "Europe/Samara":
		return "Russia Time Zone 3"
	case "Europe/Kirov", "Europe/Moscow", "Europe/Simferopol", "W-SU":
		return "Russian Standard Time"
	case "America/Belem", "America/Cayenne", "America/Fortaleza", "America/Maceio", "America/Paramaribo", "America/Recife", "America/Santarem",
		"Antarctica/Palmer", "Antarctica/Rothera", "Atlantic/Stanley", "Etc/GMT+3":
		return "SA Eastern Standard Time"
	case "America/Bogota", "America/Cayman", "America/Coral_Harbour", "America/Eirunepe", "America/Guayaquil", "America/Jamaica", "America/Lima",
		"America/Panama", "America/Porto_Acre", "America/Rio_Branco", "Brazil/Acre", "Etc/GMT+5", "Jamaica", "America/Atikokan":
		return "SA Pacific Standard Time"
	case "America/Anguilla", "America/Antigua", "America/Aruba", "America/Barbados", "America/Blanc-Sablon", "America/Boa_Vista", "America/Curacao",
		"America/Dominica", "America/Grenada", "America/Guadeloupe", "America/Guyana", "America/Kralendijk", "America/La_Paz", "America/Lower_Princes",
		"America/Manaus", "America/Marigot", "America/Martinique", "America/Montserrat", "America/Port_of_Spain", "America/Porto_Velho",
		"America/Puerto_Rico", "America/Santo_Domingo", "America/St_Barthelemy", "America/St_Kitts", "America/St_Lucia", "America/St_Thomas",
		"America/St_Vincent", "America/Tortola", "America/Virgin", "Brazil/West", "Etc/GMT+4":
		return "SA Western Standard Time"
	case "Antarctica/Davis", "Asia/Bangkok", "Asia/Ho_Chi_Minh", "Asia/Jakarta", "Asia/Phnom_Penh", "Asia/Pontianak", "Asia/Saigon", "Asia/Vientiane",
		"Etc/GMT-7", "Indian/Christmas":
		return "SE Asia Standard Time"
	case "America/Miquelon":
		return "Saint Pierre Standard Time"
	case "Asia/Sakhalin":
		return "Sakhalin Standard Time"
	case "Pacific/Apia":
		return "Samoa Standard Time"
	case "Africa/Sao_Tome":
		return "Sao Tome Standard Time"
	case "Europe/Saratov":
		return "Saratov Standard Time"
	case "Asia/Brunei", "Asia/Kuala_Lumpur", "Asia/Kuching", "Asia/Makassar", "Asia/Manila", "Asia/Singapore", "Asia/Ujung_Pandang", "Etc/GMT-8",
		"Singapore":
		return "Singapore Standard Time"
	case "Africa/Blantyre", "Africa/Bujumbura", "Africa/Gaborone", "Africa/Harare", "Africa/Johannesburg", "Africa/Kigali", "Africa/Lubumbashi",
		"Africa/Lusaka", "Africa/Maputo", "Africa/Maseru", "Africa/Mbabane", "Etc/GMT-2":
		return "South Africa Standard Time"
	case "Africa/Juba":
		return "South Sudan Standard Time"
	case "Asia/Colombo":
		return "Sri Lanka Standard Time"
	case "Africa/Khartoum":
		return "Sudan Standard Time"
	case "Asia/Damascus":
		return "Syria Standard Time"
	case "Asia/Taipei", "ROC":
		return "Taipei Standard Time"
	case "Antarctica/Macquarie", "Australia/Currie", "Australia/Hobart", "Australia/Tasmania":
		return "Tasmania Standard Time"
	case "America/Araguaina":
		return "Tocantins Standard Time"
	case "Asia/Dili", "Asia/Jayapura", "Asia/Tokyo", "Etc/GMT-9", "Japan", "Pacific/Palau":
		return "Tokyo Standard Time"
	case "Asia/Tomsk":
		return "Tomsk Standard Time"
	case "Pacific/Tongatapu":
		return "Tonga Standard Time"
	case "Asia/Chita":
		return "Transbaikal Standard Time"
	case "Asia/Istanbul", "Europe/Istanbul", "Turkey":
		return "Turkey Standard Time"
	case "America/Grand_Turk":
		return "Turks And Caicos Standard Time"
	case "America/Fort_Wayne", "America/Indiana/Indianapolis", "America/Indiana/Marengo", "America/Indiana/Vevay", "America/Indianapolis",
		"US/East-Indiana":
		return "US Eastern Standard Time"
	case "America/Creston", "America/Dawson_Creek", "America/Fort_Nelson", "America/Hermosillo", "America/Phoenix", "Etc/GMT+7", "US/Arizona":
		return "US Mountain Standard Time"
	case "Etc/GMT", "Etc/GMT+0", "Etc/GMT-0", "Etc/GMT0", "Etc/Greenwich", "GMT", "GMT+0", "GMT-0", "GMT0", "Greenwich":
		return "UTC"
	case "Etc/GMT-12", "Kwajalein", "Pacific/Funafuti", "Pacific/Kwajalein", "Pacific/Majuro", "Pacific/Nauru", "Pacific/Tarawa", "Pacific/Wake",
		"Pacific/Wallis":
		return "UTC+12"
	case "Etc/GMT-13", "Pacific/Enderbury", "Pacific/Fakaofo", "Pacific/Kanton":
		return "UTC+13"
	case "America/Noronha", "Atlantic/South_Georgia", "Brazil/DeNoronha", "Etc/GMT+2":
		return "UTC-02"
	case "Etc/GMT+8", "Pacific/Pitcairn":
		return "UTC-08"
	case "Etc/GMT+9", "Pacific/Gambier":
		return "UTC-09"
	case "Etc/GMT+11", "Pacific/Midway", "Pacific/Niue", "Pacific/Pago_Pago", "Pacific/Samoa", "US/Samoa":
		return "UTC-11"
	case "Asia/Choibalsan", "Asia/Ulaanbaatar", "Asia/Ulan_Bator":
		return "Ulaanbaatar Standard Time"
	case "America/Caracas":
		return "Venezuela Standard Time"
	case "Asia/Ust-Nera", "Asia/Vladivostok":
		return "Vladivostok Standard Time"
	case "Europe/Volgograd":
		return "Volgograd Standard Time"
	case "Australia/Perth", "Australia/West":
		return "W. Australia Standard Time"
	case "Africa/Algiers", "Africa/Bangui", "Africa/Brazzaville", "Africa/Douala", "Africa/Kinshasa", "Africa/Lagos", "Africa/Libreville",
		"Africa/Luanda", "Africa/Malabo", "Africa/Ndjamena", "Africa/Niamey", "Africa/Porto-Novo", "Africa/Tunis", "Etc/GMT-1":
		return "W. Central Africa Standard Time"
	case "Arctic/Longyearbyen", "Atlantic/Jan_Mayen", "Europe/Amsterdam", "Europe/Andorra", "Europe/Berlin", "Europe/Busingen", "Europe/Gibraltar",
		"Europe/Luxembourg", "Europe/Malta", "Europe/Monaco", "Europe/Oslo", "Europe/Rome", "Europe/San_Marino", "Europe/Stockholm", "Europe/Vaduz",
		"Europe/Vatican", "Europe/Vienna", "Europe/Zurich":
		return "W. Europe Standard Time"
	case "Asia/Hovd":
		return "W. Mongolia Standard Time"
	case "Antarctica/Mawson", "Asia/Aqtau", "Asia/Aqtobe", "Asia/Ashgabat", "Asia/Ashkhabad", "Asia/Atyrau", "Asia/Dushanbe", "Asia/Oral",
		"Asia/Samarkand", "Asia/Tashkent", "Etc/GMT-5", "Indian/Kerguelen", "Indian/Maldives":
		return "West Asia Standard Time"
	case "Asia/Gaza", "Asia/Hebron":
		return "West Bank Standard Time"
	case "Antarctica/DumontDUrville", "Etc/GMT-10", "Pacific/Guam", "Pacific/Port_Moresby", "Pacific/Saipan", "Pacific/Truk", "Pacific/Yap", "Pacific/Chuuk":
		return "West Pacific Standard Time"
	case "Asia/Khandyga", "Asia/Yakutsk":
		return "Yakutsk Standard Time"
	case "America/Dawson", "America/Whitehorse", "Canada/Yukon":
		return "Yukon Standard Time"
	}
	return zone
}
