"""An engine on other machines: its address, the connection to it, records that workers share."""
