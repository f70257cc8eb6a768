terraform import tenant.northstar_us northstar-us
